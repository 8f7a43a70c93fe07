#!/usr/bin/env python3
"""The checks of this folder find what is wrong: planted links, anchors, paths and outputs."""

import pathlib
import tempfile
import unittest

import check_links
import run_commands


class Planted(unittest.TestCase):
    def setUp(self):
        self._folder = tempfile.TemporaryDirectory()
        self.root = pathlib.Path(self._folder.name)

    def tearDown(self):
        self._folder.cleanup()

    def page(self, text):
        (self.root / "page.md").write_text(text, encoding="utf-8")

    def links(self, text):
        self.page(text)
        return list(check_links.findings(self.root))

    def run_page(self, text):
        self.page(text)
        return run_commands.Run(self.root / "page.md", self.root).run()

    def console(self, text):
        return self.run_page(f"```console\n{text}\n```\n").failures


class Links(Planted):
    def test_good_links_pass(self):
        self.assertEqual(self.links("# A page\n[a](page.md) [b](#a-page) [c](https://no.where/x)\n"), [])

    def test_a_broken_link_is_found(self):
        self.assertIn("leads nowhere", self.links("[a](absent.md)\n")[0])

    def test_a_broken_picture_is_found(self):
        self.assertIn("leads nowhere", self.links("![a](absent.svg)\n")[0])

    def test_a_broken_anchor_is_found(self):
        self.assertIn("anchor", self.links("# A page\n[a](#another-page)\n")[0])

    def test_a_path_that_does_not_exist_is_found(self):
        self.assertIn("no such file", self.links("see `engine/absent.hpp`\n")[0])

    def test_code_is_no_link(self):
        self.assertEqual(self.links("```\n[a](absent.md)\n```\nand `[a](absent.md)`\n"), [])


class Commands(Planted):
    def test_the_right_output_passes(self):
        self.assertEqual(self.console("$ printf 'a  1\\nb\\n'\na 1\nb"), [])

    def test_lines_may_be_left_out(self):
        self.assertEqual(self.console("$ seq 30\n1\n...\n30"), [])
        self.assertEqual(self.console("$ echo made on Friday: 5\nmade on ...: 5"), [])

    def test_a_wrong_line_is_found(self):
        self.assertEqual(len(self.console("$ echo a\nb")), 1)

    def test_a_missing_line_is_found(self):
        self.assertEqual(len(self.console("$ echo a\na\nb")), 1)

    def test_a_line_too_many_is_found(self):
        self.assertEqual(len(self.console("$ seq 2\n1")), 1)

    def test_numbers_may_differ_a_little(self):
        self.assertEqual(self.console("$ echo 104 steps, 0.25003 s, off 3e-16\n100 steps, 0.25 s, off 1e-17"), [])

    def test_a_wrong_number_is_found(self):
        self.assertEqual(len(self.console("$ echo 0.26 s\n0.25 s")), 1)
        self.assertEqual(len(self.console("$ echo 4 bodies\n3 bodies")), 1)
        self.assertEqual(len(self.console("$ echo -2.5\n2.5")), 1)

    def test_a_failing_command_is_found(self):
        self.assertEqual(len(self.console("$ false")), 1)

    def test_an_expected_exit_status_passes(self):
        self.assertEqual(self.run_page("<!-- exit status: 3 -->\n```console\n$ exit 3\n```\n").failures, [])

    def test_a_command_outside_of_a_console_block_is_found(self):
        self.assertEqual(len(self.run_page("    mbsfmu check a.mbs.xml\n").failures), 1)
        self.assertEqual(len(self.run_page("```sh\nmbsfmu check a.mbs.xml\n```\n").failures), 1)

    def test_files_of_the_page_are_there(self):
        text = "<!-- file: a.txt -->\n```\nhello\n```\n\n```console\n$ cat a.txt\nhello\n```\n"
        self.assertEqual(self.run_page(text).failures, [])

    def test_what_is_not_run_is_listed(self):
        run = self.run_page("<!-- not run: needs a network -->\n```console\n$ false\n```\n")
        self.assertEqual((run.failures, len(run.not_run)), ([], 1))
        run = self.run_page("<!-- needs: no_such_module -->\n```console\n$ false\n```\n")
        self.assertEqual((run.failures, len(run.not_run)), ([], 1))


if __name__ == "__main__":
    unittest.main()

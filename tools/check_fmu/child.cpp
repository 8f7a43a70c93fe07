#include "tools/check_fmu/child.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <optional>

namespace mbs::check_fmu {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int finished = 42;  // exit code of a child that came to its end; a library may call exit

// Records, and the texts in them, are sent as their length, a colon and the bytes.
std::string framed(std::string_view text) {
  return std::to_string(text.size()) + ":" + std::string(text);
}

// Removes one record from the front; nothing if it is incomplete.
std::optional<std::string> take(std::string_view& stream) {
  std::size_t size = 0, i = 0;
  for (; i < stream.size() && stream[i] != ':'; ++i)
    size = size * 10 + static_cast<std::size_t>(stream[i] - '0');
  if (i == stream.size() || stream.size() - i - 1 < size) return std::nullopt;
  std::string text(stream.substr(i + 1, size));
  stream.remove_prefix(i + 1 + size);
  return text;
}

std::string to_record(const Finding& f) {
  return framed(f.rule) + framed(f.severity == Severity::error ? "e" : "a") + framed(f.file) +
         framed(std::to_string(f.line)) + framed(f.what) + framed(f.advice);
}

Finding to_finding(std::string_view record) {
  const auto next = [&record] { return take(record).value_or(""); };
  Finding f;
  f.rule = next();
  f.severity = next() == "e" ? Severity::error : Severity::advice;
  f.file = next();
  f.line = std::atoi(next().c_str());
  f.what = next();
  f.advice = next();
  return f;
}

void read_records(std::string_view stream, ChildEnd& end) {
  while (const auto record = take(stream)) {
    if (record->empty()) continue;
    const std::string content = record->substr(1);
    if (record->front() == 'f') end.findings.push_back(to_finding(content));
    if (record->front() == 'd') end.doing = content;
    if (record->front() == 'r') end.result = content;
  }
}

[[noreturn]] void be_child(const ChildPlace& place, int pipe,
                           const std::function<void(ToParent&)>& body) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  const rlimit no_core{0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
  for (const int number : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}) signal(number, SIG_DFL);
  setenv("TMPDIR", place.temporary().c_str(), 1);
  const int nothing = open("/dev/null", O_RDONLY);
  const int printed = open(place.printed().c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
  dup2(nothing, STDIN_FILENO);
  dup2(printed, STDOUT_FILENO);
  dup2(printed, STDERR_FILENO);
  if (chdir(place.work().c_str()) != 0) _exit(1);
  try {
    ToParent parent(pipe);
    body(parent);
  } catch (...) {
    _exit(1);
  }
  std::fflush(nullptr);  // what the library printed, too
  _exit(finished);
}

// The limits of a child's time. A busy machine may slow it down: the limits are on its processor
// time and on the time in which it uses none, because it sleeps or waits for ever. The last limit
// catches a child that wakes up now and then.
class Patience {
 public:
  Patience(pid_t child, std::chrono::milliseconds limit) : limit_(limit) {
    has_clock_ = clock_getcpuclockid(child, &clock_) == 0;
  }
  bool is_over() {
    timespec time{};
    if (has_clock_) clock_gettime(clock_, &time);
    const auto used = std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
    const auto now = Clock::now();
    if (used > used_) {
      used_ = used;
      last_busy_ = now;
    }
    return used > limit_ || now - last_busy_ > limit_ || now - start_ > 30 * limit_;
  }

 private:
  std::chrono::milliseconds limit_;
  bool has_clock_;
  clockid_t clock_{};
  std::chrono::nanoseconds used_{0};
  Clock::time_point start_ = Clock::now(), last_busy_ = start_;
};

// Reads until the child closes its end or exceeds a limit.
std::string read_until(int input, Patience patience, bool& in_time) {
  constexpr int look_again = 20;  // milliseconds
  std::string stream;
  char buffer[4096];
  while (true) {
    pollfd wait{input, POLLIN, 0};
    const int ready = poll(&wait, 1, look_again);
    in_time = !patience.is_over();
    if (!in_time) return stream;
    if (ready == 0 || (ready < 0 && errno == EINTR)) continue;
    const ssize_t count = read(input, buffer, sizeof buffer);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return stream;
    stream.append(buffer, static_cast<std::size_t>(count));
  }
}

ChildEnd not_started() {
  ChildEnd end;
  end.how = ChildEnd::How::not_started;
  end.why = std::strerror(errno);
  return end;
}

}  // namespace

void ToParent::send(char kind, const std::string& record) {
  const std::string bytes = framed(kind + record);
  for (std::size_t done = 0; done < bytes.size();) {
    const ssize_t count = write(pipe_, bytes.data() + done, bytes.size() - done);
    if (count < 0 && errno != EINTR) _exit(1);
    if (count > 0) done += static_cast<std::size_t>(count);
  }
}

void ToParent::finding(const Finding& finding) {
  send('f', to_record(finding));
}

void ToParent::doing(std::string_view what) {
  send('d', std::string(what));
}

void ToParent::result(std::string_view bytes) {
  send('r', std::string(bytes));
}

ChildEnd run_in_child(const ChildPlace& place, std::chrono::milliseconds limit,
                      const std::function<void(ToParent&)>& body) {
  std::error_code ignored;
  std::filesystem::create_directories(place.work(), ignored);
  std::filesystem::create_directories(place.temporary(), ignored);
  int ends[2];
  if (pipe(ends) != 0) return not_started();
  const pid_t child = fork();
  if (child < 0) {
    ChildEnd end = not_started();
    close(ends[0]);
    close(ends[1]);
    return end;
  }
  if (child == 0) {
    close(ends[0]);
    be_child(place, ends[1], body);
  }
  close(ends[1]);
  bool in_time = false;
  ChildEnd end;
  read_records(read_until(ends[0], Patience(child, limit), in_time), end);
  close(ends[0]);
  if (!in_time) kill(child, SIGKILL);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (!in_time) {
    end.how = ChildEnd::How::hung;
  } else if (WIFSIGNALED(status)) {
    end.how = ChildEnd::How::crashed;
    end.why = strsignal(WTERMSIG(status));
  } else if (WEXITSTATUS(status) != finished) {
    end.how = ChildEnd::How::ended_process;
  }
  return end;
}

}  // namespace mbs::check_fmu

#pragma once
// Times and counts as a person reads them.

#include <string>
#include <string_view>

#include "braid/deliver/events.h"

namespace braid::deliver {

/// "83" ms from 10 ms on, "0.4" below.
std::string short_ms(Nanoseconds span);

/// One line on a finished answer: times, stages that took any, what it saw, how it ended.
std::string stage_line(const Answer& answer);

/// One line on a session.
std::string summary_line(const Summary& summary);

/// Valid UTF-8 in which no control character but tab and newline is left: a text can't steer the terminal.
std::string printable(std::string_view text);

}  // namespace braid::deliver

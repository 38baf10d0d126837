"""Reading the parse errors in a server's log."""

from __future__ import annotations

from tests.oracle.cases import read_cases
from tests.oracle.log import ServerError, read_errors

POLL = b'E1130 11:30:09.433118 4031 model_repository_manager.cc:1460] "Poll failed for model directory'
UNREAD = POLL + b" 'm': failed to read text proto from /r/m/config.pbtxt\"\n"
LEAD = b"[libprotobuf ERROR /tmp/text_format.cc:335] Error parsing text-format inference.ModelConfig: "


def test_errors_in_order_with_places() -> None:
    log = LEAD + b'1:2: Expected ":", found "}".\n' + LEAD + b"3:40: Expected integer, got: a\n" + UNREAD
    assert read_errors(log) == (
        ServerError(1, 2, 'Expected ":", found "}".'),
        ServerError(3, 40, "Expected integer, got: a"),
    )


def test_a_message_may_hold_line_breaks_and_any_byte() -> None:
    assert read_errors(LEAD + b"1:1: Expected identifier, got: \n\xff\n" + UNREAD) == (
        ServerError(1, 1, "Expected identifier, got: \n\udcff"),
    )


def test_warnings_and_other_lines_are_no_errors() -> None:
    warning = LEAD.replace(b"ERROR", b"WARNING").replace(b"Error parsing", b"Warning parsing") + b"1:1: text\n"
    assert read_errors(warning + POLL + b' failed"\n') == ()
    assert read_errors(b"") == ()


def test_listings() -> None:
    listing = "A heading\n| a\\n\n|\n\nframed\n@ x { @ }\n| 'b'\n| \\xff\\x20\n\nplain again\n| \\\\\n"
    assert list(read_cases(listing)) == [b"a\n", b"", b"x { 'b' }", b"x { \xff  }", b"\\"]

"""Drives every client event that the official client knows, notes every server event that comes, and compares the table
in docs/realtime.md with what was seen. `realtime_conformance_test.py --write` writes the table anew."""

import base64
import sys
import typing
import unittest

import official_client  # before what it brings along
from openai.types.realtime import realtime_client_event, realtime_server_event
from braid_runs import ROOT, SAMPLES
from realtime_test import RealtimeTest, pcm, text_item

PAGE = ROOT / "docs/realtime.md"
BEGIN, END = "<!-- table begins -->\n", "<!-- table ends -->\n"

NO_SPEECH = "only text comes out until speech out exists"
NO_TOOLS = "live sessions call no tools"
# Why a server event isn't sent. One that came all the same, or one that didn't and isn't here, fails the test.
NEVER = {
    "conversation.created": "the beta's; GA sessions begin with session.created",
    "conversation.item.created": "the beta's; GA says conversation.item.added",
    "conversation.item.truncated": NO_SPEECH,
    "conversation.item.input_audio_transcription.segment": "transcripts come without speakers and times",
    "input_audio_buffer.dtmf_event_received": "of SIP calls, which end elsewhere",
    "input_audio_buffer.timeout_triggered": "idle_timeout_ms is refused: nobody is prompted to speak",
    "output_audio_buffer.started": NO_SPEECH,
    "output_audio_buffer.stopped": NO_SPEECH,
    "output_audio_buffer.cleared": NO_SPEECH,
    "rate_limits.updated": "there are no token limits to tell of; clients don't wait for it",
    "response.output_audio.delta": NO_SPEECH,
    "response.output_audio.done": NO_SPEECH,
    "response.output_audio_transcript.delta": NO_SPEECH,
    "response.output_audio_transcript.done": NO_SPEECH,
    "response.function_call_arguments.delta": NO_TOOLS,
    "response.function_call_arguments.done": NO_TOOLS,
    **{f"mcp_list_tools.{what}": NO_TOOLS for what in ("in_progress", "completed", "failed")},
    **{f"response.mcp_call{what}": NO_TOOLS
       for what in ("_arguments.delta", "_arguments.done", ".in_progress", ".completed", ".failed")},
}
# Client events that are always refused, and why.
REFUSED = {"conversation.item.truncate": NO_SPEECH, "output_audio_buffer.clear": NO_SPEECH}
# What each part of the drive is the only one to bring about.
NOT_DRIVEN = {
    "conversation.item.input_audio_transcription.failed": "sent when the model can't be asked",
}


def event_types(union):
    """The `type` of each member of an annotated union of models."""
    members = typing.get_args(typing.get_args(union)[0])
    return [typing.get_args(member.model_fields["type"].annotation)[0] for member in members]


class Conformance(RealtimeTest):
    def test_the_table_is_what_was_seen(self):
        seen, outcomes = self.drive()
        table = self.table(seen, outcomes)
        page = PAGE.read_text()
        head, rest = page.split(BEGIN)
        old, tail = rest.split(END)
        if "--write" in sys.argv:
            PAGE.write_text(head + BEGIN + table + END + tail)
        else:
            self.assertEqual(old, table, "docs/realtime.md is stale: run this with --write")

    def drive(self):
        """All kinds of server events that came, and by client event whether it was refused."""
        self.seen, self.outcomes = set(), {}
        connection = self.connect()
        self.seen.add("session.created")
        self.text(connection)
        self.sound(connection)
        self.refusals(connection)
        return self.seen, self.outcomes

    def send(self, connection, event, *until):
        """Sends it and waits for what tells that it was taken, or for an error."""
        connection.send({**event, "event_id": "driven"})
        events = self.until(connection, "error", *until) if until else []
        self.seen |= {e.type for e in events}
        refused = bool(events) and events[-1].type == "error" and events[-1].error.event_id == "driven"
        self.outcomes.setdefault(event["type"], set()).add("refused" if refused else "taken")

    def text(self, connection):
        item = text_item("Count from one to a hundred.", id="a")
        self.send(connection, {"type": "conversation.item.create", "item": item}, "conversation.item.done")
        self.send(connection, {"type": "conversation.item.retrieve", "item_id": "a"}, "conversation.item.retrieved")
        self.send(connection, {"type": "response.create"}, "response.output_text.delta")
        self.send(connection, {"type": "response.cancel"}, "response.done")
        self.send(connection, {"type": "conversation.item.delete", "item_id": "a"}, "conversation.item.deleted")

    def sound(self, connection):
        input_settings = {"turn_detection": None, "transcription": {"model": "whisper-1"}}
        self.send(connection, {"type": "session.update", "session": {
            "type": "realtime", "audio": {"input": input_settings}}}, "session.updated")
        speech = pcm("utterance2.wav")
        append = {"type": "input_audio_buffer.append", "audio": base64.b64encode(speech).decode()}
        self.send(connection, append)
        self.send(connection, {"type": "input_audio_buffer.clear"}, "input_audio_buffer.cleared")
        self.send(connection, append)
        self.send(connection, {"type": "input_audio_buffer.commit"},
                  "conversation.item.input_audio_transcription.completed")
        turns = {"type": "server_vad"}
        self.send(connection, {"type": "session.update", "session": {
            "type": "realtime", "audio": {"input": {"turn_detection": turns}}}}, "session.updated")
        append["audio"] = base64.b64encode(speech + bytes(48 * 900)).decode()
        self.send(connection, append, "response.done")

    def refusals(self, connection):
        item = {"id": "b", "type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "x"}]}
        self.send(connection, {"type": "conversation.item.create", "item": item}, "conversation.item.done")
        self.send(connection, {"type": "conversation.item.truncate", "item_id": "b", "content_index": 0,
                               "audio_end_ms": 1}, "conversation.item.truncated")
        self.send(connection, {"type": "output_audio_buffer.clear"}, "output_audio_buffer.cleared")

    def table(self, seen, outcomes):
        rows = ["| event | from | |\n| --- | --- | --- |\n"]
        for kind in event_types(realtime_client_event.RealtimeClientEvent):
            self.assertIn(kind, outcomes, "a client event is not driven")
            refused = kind in REFUSED
            self.assertEqual(outcomes[kind], {"refused" if refused else "taken"}, kind)
            rows.append(f"| `{kind}` | client | {'refused: ' + REFUSED[kind] if refused else 'yes'} |\n")
        for kind in event_types(realtime_server_event.RealtimeServerEvent):
            came = kind in seen
            self.assertNotEqual(came, kind in NEVER or kind in NOT_DRIVEN, kind)
            why = f"no: {NEVER[kind]}" if kind in NEVER else f"yes, {NOT_DRIVEN[kind]}" if kind in NOT_DRIVEN else "yes"
            rows.append(f"| `{kind}` | server | {why} |\n")
        return "".join(rows)


if __name__ == "__main__":
    unittest.main(argv=[arg for arg in sys.argv if arg != "--write"], verbosity=2)

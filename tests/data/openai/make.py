#!/usr/bin/env python3
"""Writes the requests in this folder: what the official client (pip install openai==3.51.0) sends for them.

A server on this machine takes each call's body as it comes and answers so little that the client is content.
"""

import json
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import openai

HERE = Path(__file__).parent
PIXEL = ("data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGA"
         "hKmMIQAAAABJRU5ErkJggg==")
SCHEMA = {"type": "object", "properties": {"seen": {"type": "array", "items": {"type": "string"}}, "n": {"type": "integer"}},
          "required": ["seen", "n"], "additionalProperties": False}
TOOL = {"type": "function", "function": {"name": "get_weather", "description": "Weather of a place – now",
                                         "parameters": {"type": "object", "properties": {"place": {"type": "string"}}},
                                         "strict": True}}
taken = []


class Handler(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        taken.append((self.headers["Content-Type"], body))
        streamed = b'"stream":true' in body.replace(b" ", b"")
        reply = b"data: [DONE]\n\n" if streamed else b"{}"
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream" if streamed else "application/json")
        self.send_header("Content-Length", str(len(reply)))
        self.end_headers()
        self.wfile.write(reply)

    def log_message(self, *_):
        pass


def calls(client):
    chat = client.chat.completions.create
    yield "text", lambda: chat(model="nano", messages=[
        {"role": "developer", "content": "Answer in one word. \U0001f600 \"quoted\"\n"},
        {"role": "user", "content": "What do you see?", "name": "anna"}])
    yield "media", lambda: chat(model="nano", messages=[{"role": "user", "content": [
        {"type": "text", "text": "What happens?"},
        {"type": "image_url", "image_url": {"url": PIXEL, "detail": "low"}, "timestamp_us": 1500000},
        {"type": "image_url", "image_url": {"url": "https://example.com/a.png"}},
        {"type": "input_audio", "input_audio": {"data": "UklGRgAAAABXQVZF", "format": "wav"}},
        {"type": "video_url", "video_url": {"url": "data:video/mp4;base64,AAAAGGZ0eXBtcDQy"}}]}])
    yield "sampling", lambda: list(chat(
        model="nano", messages=[{"role": "user", "content": "Go"}], temperature=0.7, top_p=0.9, frequency_penalty=-0.5,
        presence_penalty=1.25, logit_bias={"50": -100, "7": 5}, seed=-3, max_tokens=5, max_completion_tokens=9,
        stop=["\n", "END"], n=1, logprobs=True, top_logprobs=3, stream=True, stream_options={"include_usage": True},
        user="u-1", metadata={"k": "v"}, store=False, service_tier="auto", reasoning_effort="low",
        extra_body={"top_k": 20, "min_p": 0.05, "deadline_ms": 250.5, "braid": {"session": "s-1", "at_us": 12000000}}))
    yield "tools", lambda: chat(
        model="nano", messages=[
            {"role": "user", "content": "Weather in Bern?"},
            {"role": "assistant", "content": None, "tool_calls": [
                {"id": "call_1", "type": "function", "function": {"name": "get_weather", "arguments": "{\"place\":\"Bern\"}"}}]},
            {"role": "tool", "tool_call_id": "call_1", "content": "sunny"},
            {"role": "assistant", "content": [{"type": "text", "text": "Sunny."}]},
            {"role": "user", "content": "And now?"}],
        tools=[TOOL], tool_choice={"type": "function", "function": {"name": "get_weather"}}, parallel_tool_calls=False)
    yield "schema", lambda: chat(
        model="nano", messages=[{"role": "user", "content": "List"}],
        response_format={"type": "json_schema", "json_schema": {"name": "scene", "strict": True, "schema": SCHEMA}})
    yield "transcription", lambda: client.audio.transcriptions.create(
        file=("gr\u00fc\u00dfe.wav", b"RIFF\x00\r\n--\xff\x00WAVE\r\n", "audio/wav"), model="nano", language="en",
        prompt="keys, rockets", response_format="verbose_json", temperature=0.2, timestamp_granularities=["segment"])


def main():
    server = HTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    client = openai.OpenAI(base_url=f"http://127.0.0.1:{server.server_port}/v1", api_key="none", max_retries=0)
    for name, call in calls(client):
        call()
        content_type, body = taken[-1]
        if name == "transcription":
            (HERE / f"{name}.form").write_bytes(content_type.encode() + b"\n" + body)
        else:
            json.loads(body)
            (HERE / f"{name}.json").write_bytes(body)
    server.shutdown()


main()

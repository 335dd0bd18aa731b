"""Inputs that are nearly right: valid ones of every endpoint, changed in one or two places by a seeded hand."""

import base64
import copy
import json

WORDS = ["", "x" * 5000, "\u0000", "é漢\U0001F600", "<|im_end|>", "../../etc/passwd", "%s%n", "-1", "null", "2026-01-01"]
NUMBERS = [0, -1, 1, 1e308, -1e308, 1e-308, 2**31, 2**53 + 1, 2**63, -2**63, 2**64, 0.1]
VALUES = [None, True, False, [], {}, [[]], {"": ""}, [None] * 300]


def odd_value(random):
    return random.choice(random.choice([WORDS, NUMBERS, VALUES]))


def places(value, found=None):
    """Every container and key below it."""
    found = [] if found is None else found
    if isinstance(value, (dict, list)):
        for key in value if isinstance(value, dict) else range(len(value)):
            found.append((value, key))
            places(value[key], found)
    return found


def change_value(random, value):
    """One change in a copy of it: a part lost, replaced, doubled, renamed, moved or wrapped."""
    changed = copy.deepcopy(value)
    found = places(changed)
    if not found:
        return odd_value(random)
    holder, key = random.choice(found)
    what = random.randrange(7)
    if what == 0:
        del holder[key]
    elif what == 1:
        holder[key] = odd_value(random)
    elif what == 2 and isinstance(holder, dict):
        holder[random.choice(["braid", "type", "nonsense", "", key.upper()])] = holder.pop(key)
    elif what == 2:
        holder.extend([holder[key]] * random.choice([1, 20, 300]))
    elif what == 3:
        holder[key] = [holder[key]]
    elif what == 4:
        holder[key] = str(holder[key])
    elif what == 5:
        other, other_key = random.choice(found)
        holder[key] = copy.deepcopy(other[other_key]) if other is not changed else odd_value(random)
    else:
        deep = holder[key]
        for _ in range(random.choice([2, 40, 120])):
            deep = [deep]
        holder[key] = deep
    return changed


def change_bytes(random, data):
    """One change of the bytes themselves."""
    if not data:
        return random.randbytes(random.randrange(40))
    at = random.randrange(len(data))
    what = random.randrange(8)
    if what == 0:
        return data[:at]
    if what == 1:
        return data[:at] + random.randbytes(random.randrange(1, 9)) + data[at + 1:]
    if what == 2:
        return data[:at] + data[at:at + random.randrange(1, 200)] + data[at:]
    if what == 3:
        return data[:at] + random.choice([b"\x00", b"\xff\xfe", b"\xed\xa0\x80", b"\\ud800", b"\r\n", b'"']) + data[at:]
    if what == 4:
        return random.choice([b"\xef\xbb\xbf", b"[" * 20000, b"{\"a\":" * 5000, b" " * 70000]) + data
    if what == 5:
        return data.replace(random.choice([b'"', b":", b",", b"}"]), random.choice([b"", b"'", b"::", b",,"]), 1)
    if what == 6:
        return data + random.choice([b"}", b"\x00" * 100, data])
    return data[:at] + bytes([data[at] ^ 1 << random.randrange(8)]) + data[at + 1:]


def change_json(random, value):
    """JSON text of a value that was changed as a value, as text, or not at all."""
    for _ in range(random.choice([0, 0, 1, 1, 2, 5])):
        value = change_value(random, value)
    text = json.dumps(value, ensure_ascii=random.random() < 0.5).encode("utf-8", "surrogatepass")
    return change_bytes(random, text) if random.random() < 0.3 else text


class HttpRequests:
    """Requests of every endpoint. `media` are files' bytes by kind: image, sound, film."""

    def __init__(self, random, media, sources):
        self.random = random
        self.media = media
        self.sources = sources  # what a session may be made of
        self.makers = [self.chat, self.chat, self.chat_with_media, self.tools, self.schema, self.transcription,
                       self.session, self.plain]

    def make(self):
        """(bytes, whether they are whole): one request, changed in JSON, headers, path or framing."""
        method, path, headers, body = self.random.choice(self.makers)()
        if self.random.random() < 0.2:
            headers = self.change_headers(headers)
        if self.random.random() < 0.15:
            method, path = self.change_path(method, path)
        return self.frame(method, path, headers, body)

    def json_request(self, path, value):
        return "POST", path, [("Content-Type", "application/json")], change_json(self.random, value)

    def chat(self):
        return self.json_request("/v1/chat/completions", {
            "model": "braid", "max_tokens": self.random.choice([1, 5, 30]), "stream": self.random.random() < 0.5,
            "messages": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Please count."},
                         {"role": "assistant", "content": "one"}, {"role": "user", "content": [
                             {"type": "text", "text": "count", "timestamp_us": 12}]}],
            "temperature": 0, "top_p": 1, "seed": 7, "stop": ["zzz"], "logprobs": True, "top_logprobs": 2, "n": 1,
            "logit_bias": {"5": -100}, "stream_options": {"include_usage": True}, "deadline_ms": 5000,
            "presence_penalty": 0.5, "frequency_penalty": 0.5, "min_p": 0.1, "top_k": 4, "user": "somebody",
            "braid": {"session": self.random.choice(["", "main", "sess_none"]), "at_us": 5}})

    def chat_with_media(self):
        kind = self.random.choice(["image", "sound", "film"])
        data = self.random.choice(self.media[kind])
        if self.random.random() < 0.5:
            data = change_bytes(self.random, data)
        text = base64.b64encode(data).decode()
        mime = self.random.choice(["image/png", "image/jpeg", "image/webp", "audio/wav", "video/mp4", "text/html", ""])
        part = {"image": {"type": "image_url", "image_url": {"url": f"data:{mime};base64,{text}", "detail": "auto"}},
                "sound": {"type": "input_audio", "input_audio": {"data": text, "format": self.random.choice(["wav", "mp3"])}},
                "film": {"type": "video_url", "video_url": {"url": f"data:{mime};base64,{text}"}}}[kind]
        return self.json_request("/v1/chat/completions", {"model": "braid", "max_tokens": 5, "messages": [
            {"role": "user", "content": [part, {"type": "text", "text": "What is it?"}]}]})

    def tools(self):
        weather = {"type": "function", "function": {"name": "weather", "description": "of a place", "parameters": {
            "type": "object", "properties": {"place": {"type": "string"}}, "required": ["place"]}}}
        return self.json_request("/v1/chat/completions", {
            "model": "braid", "max_tokens": 20, "tools": [weather], "tool_choice": "auto", "messages": [
                {"role": "user", "content": "count"},
                {"role": "assistant", "content": None, "tool_calls": [
                    {"id": "call_1", "type": "function", "function": {"name": "weather", "arguments": "{\"place\":\"x\"}"}}]},
                {"role": "tool", "tool_call_id": "call_1", "content": "rain"}]})

    def schema(self):
        schema = {"type": "object", "additionalProperties": False, "required": ["name", "many"], "properties": {
            "name": {"type": "string", "minLength": 1, "maxLength": 20, "pattern": "^[a-z]+$"},
            "many": {"type": "array", "items": {"anyOf": [{"type": "integer", "minimum": 0}, {"type": "null"}]},
                     "maxItems": 3}, "kind": {"enum": ["a", "b"]}, "again": {"$ref": "#/$defs/one"}},
            "$defs": {"one": {"type": "object", "properties": {"next": {"$ref": "#/$defs/one"}}}}}
        return self.json_request("/v1/chat/completions", {
            "model": "braid", "max_tokens": 30, "messages": [{"role": "user", "content": "count"}],
            "response_format": {"type": "json_schema", "json_schema": {"name": "thing", "schema": schema, "strict": True}}})

    def transcription(self):
        sound = self.random.choice(self.media["sound"] + self.media["film"])
        if self.random.random() < 0.5:
            sound = change_bytes(self.random, sound)
        fields = {"model": "braid", "response_format": self.random.choice(["json", "text", "srt", "vtt", "verbose_json"]),
                  "language": "en", "temperature": "0", "timestamp_granularities[]": "segment"}
        edge = "----edge"
        body = b"".join(f'--{edge}\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{value}\r\n'.encode()
                        for name, value in fields.items())
        body += (f'--{edge}\r\nContent-Disposition: form-data; name="file"; filename="a.wav"\r\n'
                 "Content-Type: audio/wav\r\n\r\n").encode() + sound + f"\r\n--{edge}--\r\n".encode()
        if self.random.random() < 0.4:
            body = change_bytes(self.random, body[:400]) + body[400:]
        return "POST", "/v1/audio/transcriptions", [("Content-Type", f"multipart/form-data; boundary={edge}")], body

    def session(self):
        return self.json_request("/v1/sessions", {"sources": [self.random.choice(self.sources)], "window_s": 5, "questions": [
            {"ask": "count", "every_s": 1, "deadline_ms": 500, "max_tokens": 5}]})

    def plain(self):
        method, path = self.random.choice([
            ("GET", "/v1/models"), ("GET", "/v1/models/braid"), ("GET", "/v1/sessions"), ("GET", "/v1/sessions/sess_1"),
            ("DELETE", "/v1/sessions/sess_1"), ("GET", "/v1/sessions/sess_1/events"), ("GET", "/metrics"), ("GET", "/health"),
            ("GET", "/ready"), ("GET", "/"), ("GET", "/v1/realtime"), ("OPTIONS", "/v1/models"), ("HEAD", "/"),
            ("POST", "/v1/realtime/client_secrets")])
        return method, path, [], b""

    def change_headers(self, headers):
        odd = self.random.choice([
            ("Host", "evil.example"), ("Host", ""), ("Content-Type", "text/plain"), ("Content-Type", "multipart/form-data"),
            ("Transfer-Encoding", "chunked"), ("Transfer-Encoding", "gzip, chunked"), ("Content-Length", "5"),
            ("Content-Length", "-1"), ("Content-Length", "99999999999999999999"), ("Expect", "100-continue"),
            ("Connection", "close, Upgrade"), ("Upgrade", "websocket"), ("Authorization", "Bearer " + "k" * 3000),
            ("Authorization", "Basic x"), ("Accept-Encoding", "gzip;q=0, *;q=nan"), ("X-Request-Deadline", "soon"),
            ("X-Request-Deadline", "-5"), ("traceparent", "00-" + "f" * 32 + "-" + "0" * 16 + "-01"), ("Origin", "null"),
            ("X-" + "h" * 200, "v" * 20000), ("Bad Name", "x"), ("Cookie", "\x01\x02"), ("Range", "bytes=5-1"),
            ("If-None-Match", "\"" * 50), ("X-Nul", "a\x00b")])
        kept = [header for header in headers if self.random.random() < 0.8]
        return kept + [odd] * self.random.choice([1, 1, 1, 2, 200])

    def change_path(self, method, path):
        what = self.random.randrange(6)
        if what == 0:
            return self.random.choice(["PUT", "TRACE", "CONNECT", "get", "", "P\x00ST", "X" * 500, "PRI"]), path
        if what == 1:
            return method, path + self.random.choice(["/", "//", "/..", "/%2e%2e/", "?", "?a=%", "#x", "%00", "%zz", "/\xff"])
        if what == 2:
            return method, self.random.choice(["*", "", "/", "http://[::1", "http://x/v1/models", "/" * 3000, "/é", "/%ff%fe"])
        if what == 3:
            return method, path.replace("/v1", self.random.choice(["/v2", "/V1", "/v1/v1", "/./v1", "/%76%31"]))
        if what == 4:
            return method, path + "?" + "&".join(f"k{i}={i}" for i in range(self.random.choice([1, 500])))
        return self.random.choice(["GET", "POST", "DELETE", "OPTIONS", "HEAD"]), path

    def frame(self, method, path, headers, body):
        """(bytes, whether they are whole)"""
        head = f"{method} {path} HTTP/1.1\r\nHost: localhost\r\n".encode("utf-8", "replace")
        head += b"".join(f"{name}: {value}\r\n".encode("utf-8", "replace") for name, value in headers)
        plain = head + f"Content-Length: {len(body)}\r\n\r\n".encode() + body
        what = self.random.randrange(24)
        if what == 0:
            return head + f"Content-Length: {len(body) + self.random.choice([1, 1000])}\r\n\r\n".encode() + body, False
        if what == 1:
            return head + f"Content-Length: {len(body) // 2}\r\n\r\n".encode() + body, True
        if what == 2:
            size = self.random.choice([b"%x" % len(body), b"0", b"-5", b"fffffffffffffffff", b"zz", b"5;" + b"e" * 9000])
            return head + b"Transfer-Encoding: chunked\r\n\r\n" + size + b"\r\n" + body + b"\r\n0\r\n\r\n", False
        if what == 3:
            return plain[:self.random.randrange(len(plain) + 1)], False
        if what == 4:
            return plain * self.random.choice([2, 5]), True
        if what == 5:
            return plain.replace(b"\r\n", b"\n"), False
        if what == 6:
            return change_bytes(self.random, plain[:len(head)]) + plain[len(head):], False
        if what == 7:
            return self.random.choice([b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
                                       b"\r\n\r\n", b"GET", b"\x00" * 5000, b"SSH-2.0-x\r\n"]), False
        return plain, True


class RealtimeEvents:
    """Events of every kind in an order that a client might have meant, then changed, reordered, cut."""

    def __init__(self, random, media):
        self.random = random
        self.media = media

    def sequence(self):
        """Messages as bytes."""
        events = [self.random.choice(self.kinds())() for _ in range(self.random.randrange(1, 12))]
        if self.random.random() < 0.3:
            self.random.shuffle(events)
        events = events[:self.random.randrange(1, len(events) + 1)]
        return [change_json(self.random, event) if self.random.random() < 0.5 else json.dumps(event).encode()
                for event in events]

    def kinds(self):
        return [self.update, self.item, self.item, self.respond, self.respond, self.sound, self.sound, self.picture, self.reading,
                self.small]

    def update(self):
        return {"type": "session.update", "event_id": "e1", "session": {
            "type": "realtime", "instructions": "Be brief.", "output_modalities": ["text"], "max_output_tokens": 20,
            "audio": {"input": {"format": {"type": self.random.choice(["audio/pcm", "audio/pcmu", "audio/pcma"])},
                                "turn_detection": self.random.choice([None, {
                                    "type": "server_vad", "threshold": 0.5, "prefix_padding_ms": 300,
                                    "silence_duration_ms": 200, "create_response": True, "interrupt_response": True}]),
                                "transcription": self.random.choice([None, {"model": "whisper-1"}])}},
            "braid": {"window_s": self.random.choice([0, 5]), "novelty": True, "deadline_ms": 900}}}

    def item(self):
        image = base64.b64encode(self.random.choice(self.media["image"])).decode()
        part = self.random.choice([{"type": "input_text", "text": "count"},
                                   {"type": "input_image", "image_url": "data:image/png;base64," + image},
                                   {"type": "input_audio", "audio": base64.b64encode(bytes(4800)).decode()}])
        return {"type": "conversation.item.create", "previous_item_id": self.random.choice([None, "root", "a"]), "item": {
            "id": self.random.choice(["a", "b", "c" * 32]), "type": "message",
            "role": self.random.choice(["user", "system", "assistant"]), "content": [part]}}

    def respond(self):
        return {"type": "response.create", "response": {"instructions": "count", "max_output_tokens": 9, "metadata": {"k": "v"},
                                                        "output_modalities": ["text"]}}

    def sound(self):
        size = self.random.choice([0, 1, 960, 4800, 48000])
        data = self.random.randbytes(size) if self.random.random() < 0.6 else bytes(size)
        return {"type": "input_audio_buffer.append", "audio": base64.b64encode(data).decode()}

    def picture(self):
        data = self.random.choice(self.media["image"])
        if self.random.random() < 0.5:
            data = change_bytes(self.random, data)
        return {"type": "input_video_buffer.append", "image": base64.b64encode(data).decode(),
                "capture_ts_us": self.random.choice([0, 5, -5, 2**62]), "source": self.random.choice(["camera", "b"])}

    def reading(self):
        return {"type": "input_sensor.append", "source": self.random.choice(["press", "camera"]), "at_us": self.random.choice(
            [0, 1000, 2**62]), "values": {"v": self.random.choice([1, 2.5, True, "on"])}}

    def small(self):
        return self.random.choice([
            {"type": "input_audio_buffer.commit"}, {"type": "input_audio_buffer.clear"}, {"type": "response.cancel"},
            {"type": "conversation.item.delete", "item_id": "a"}, {"type": "conversation.item.retrieve", "item_id": "b"},
            {"type": "conversation.item.truncate", "item_id": "a", "content_index": 0, "audio_end_ms": 5},
            {"type": "clock.ping", "t1_us": 5}, {"type": "output_audio_buffer.clear"}, {"type": "transcription_session.update"}])


def break_frames(random, web_socket, message):
    """One message in frames that are wrong, cut, split or unmasked."""
    what = random.randrange(8)
    frame = web_socket.frame
    if what == 0:
        return frame(message, masked=False)
    if what == 1:
        return frame(message, reserved=random.randrange(1, 8))
    if what == 2:
        return frame(message, opcode=random.choice([0, 3, 7, 11, 15]))
    if what == 3:
        return frame(message, length=random.choice([len(message) + 5, 2**31, 2**63, 2**64 - 1]))
    if what == 4:
        return frame(message[:9], fin=False) + frame(random.randbytes(4), 9) + frame(message[9:], 0)
    if what == 5:
        return frame(random.randbytes(200), 9)
    if what == 6:
        return frame(random.choice([b"\x03", b"\x03\xe8\xff\xff", b"\x00\x00", b"\xff\xff"]), 8) + frame(message)
    return frame(b"\xc3\x28" + message)

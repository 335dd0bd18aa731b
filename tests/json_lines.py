"""Holds events to what docs/json.md says of them."""

STAGES = ("capture ingest sync encode_queue encode prefill_queue prefill retrieve schedule decode_first decode deliver "
          "unattributed").split()
ERROR_CODES = ("usage not_found bad_input unsupported mismatch limit full late cancelled resource internal").split()

NUMBER, NULL = (int, float), type(None)
PERCEIVED = dict(source=str, kept=bool, reason=str, tokens=int, stages_ms=dict)
FIELDS = dict(
    frame=dict(PERCEIVED, at_us=int, width=int, height=int),
    utterance=dict(PERCEIVED, start_us=int, end_us=int),
    text=dict(PERCEIVED, start_us=int, end_us=int, text=str),
    reading=dict(PERCEIVED, at_us=int, text=str),
    note=dict(of=str, source=str, start_us=int, end_us=int, text=str, behind_ms=NUMBER),
    answer=dict(id=int, question=str, text=str, asked_at_us=int, ttft_ms=(*NUMBER, NULL), wall_ms=NUMBER,
                freshness_ms=(*NUMBER, NULL), stages_ms=dict, verdict=str, degraded=list, deadline_ms=(*NUMBER, NULL),
                finish=str, tokens=dict, window=dict, evidence=list, error=(dict, NULL)),
    answer_begin=dict(id=int, question=str, asked_at_us=int),
    answer_delta=dict(id=int, text=str),
    pipeline=dict(stage=str, action=str, at_us=int, trigger=dict, from_us=(int, NULL), to_us=(int, NULL), streams=list,
                  evidence=list, question_id=(int, NULL), answer=str, files=list, since_trigger_ms=NUMBER,
                  error=(dict, NULL)),
    progress=dict(at_us=int, duration_ms=(*NUMBER, NULL), frames=int, utterances=int),
    notice=dict(source=(str, NULL), at_us=(int, NULL), message=str),
    error=dict(source=(str, NULL), at_us=(int, NULL), code=str, message=str, retryable=bool),
    summary=dict(end_us=int, wall_ms=NUMBER, frames=dict, utterances=int, readings=int, lines=int, questions=int,
                 answers=int, errors=int, turn_overs=int, tokens=dict, drops=dict, notes=dict, stages_ms=dict,
                 interrupted=bool))
INNER = dict(tokens=dict(answer="prompt question answer perceived kept", summary="perceived kept"),
             window=dict(answer="from_us to_us chunks frames utterances lines readings tokens evicted_chunks sources"), frames=dict(summary="sampled kept"))
SUM_TOLERANCE_MS = 0.5


def faults_of_event(event):
    """What docs/json.md would not have of it; empty: nothing."""
    kind = event.get("type")
    if kind not in FIELDS:
        return [f"unknown type {kind}"]
    faults = [f"{kind}.{name} is {event.get(name, 'missing')!r}" for name, types in FIELDS[kind].items()
              if not isinstance(event.get(name, ...), types)]
    faults += [f"{kind}.{name} is not in the schema" for name in event if name not in FIELDS[kind] and name != "type"]
    for name, by_kind in INNER.items():
        if kind in by_kind and set(event.get(name, ())) != set(by_kind[kind].split()):
            faults.append(f"{kind}.{name} has {sorted(event.get(name, ()))}")
    if "stages_ms" in event and list(event["stages_ms"]) != STAGES:
        faults.append(f"{kind}.stages_ms has {list(event['stages_ms'])}")
    if kind == "pipeline" and not faults:
        faults += [f"stream has {sorted(stream)}" for stream in event["streams"]
                   if set(stream) != set("source kind count members_us age_ms error_bound_ms coverage".split())]
        faults += [f"evidence has {sorted(one)}" for one in event["evidence"]
                   if set(one) != set("record time source text".split())]
        if set(event["trigger"]) != set("source channel value text".split()):
            faults.append(f"trigger has {sorted(event['trigger'])}")
    if kind == "error" and event.get("code") not in ERROR_CODES:
        faults.append(f"error.code is {event.get('code')}")
    if kind == "answer" and not faults:
        faults += faults_of_answer(event)
    return faults


def faults_of_answer(answer):
    faults = []
    stages, wall = answer["stages_ms"], answer["wall_ms"]
    if abs(sum(stages.values()) - wall) > SUM_TOLERANCE_MS:
        faults.append(f"stages sum to {sum(stages.values())}, wall_ms is {wall}")
    if min(stages.values()) < 0 or wall < 0 or (answer["freshness_ms"] or 0) < 0:
        faults.append(f"a time is negative: {stages}, wall_ms {wall}, freshness_ms {answer['freshness_ms']}")
    counts = [answer["window"][kind] for kind in ("frames", "utterances", "lines", "readings")]
    if sum(counts) != answer["window"]["chunks"]:
        faults.append(f"window holds {counts} and {answer['window']['chunks']} chunks")
    if stages["unattributed"] > 0.01 * wall:
        faults.append(f"{stages['unattributed']} of {wall} ms are unattributed")
    if answer["verdict"] not in ("met", "late", "shed", "none"):
        faults.append(f"verdict is {answer['verdict']}")
    if answer["deadline_ms"] is None and answer["verdict"] in ("met", "late"):
        faults.append(f"verdict is {answer['verdict']} without a deadline")
    if answer["finish"] not in ("stop", "length", "cancelled", "error", "shed"):
        faults.append(f"finish is {answer['finish']}")
    if (answer["error"] is None) != (answer["finish"] in ("stop", "length")):
        faults.append(f"finish is {answer['finish']} with error {answer['error']}")
    if answer["ttft_ms"] is not None and not 0 <= answer["ttft_ms"] <= wall:
        faults.append(f"ttft_ms is {answer['ttft_ms']} of {wall}")
    return faults

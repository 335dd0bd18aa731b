// braid-ingest-worker: decodes what Braid hands to it, in processes that can do nothing else.

#include "braid/ingest/open.h"
#include "isolate/guard.h"

int main() { return braid::ingest::isolate::guard_main(braid::ingest::open_source); }

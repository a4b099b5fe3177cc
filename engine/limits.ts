/** Every limit of the engine, each with its reason; an application narrows some of them in app.yaml. */

export const LIMITS = {
  /** A source file: far above any hand-written resource, far below what slows the parser. */
  sourceBytes: 1_048_576,
  /** Nodes of one source once its aliases are followed, and how deep they nest: stops alias bombs. */
  sourceNodes: 50_000,
  sourceDepth: 64,
  /** Fields of one resource: PostgreSQL allows 1,600 columns; a form of 300 is unusable long before. */
  fieldsPerResource: 300,
  /** Terms in one filter, policy or query: what one index-backed statement can still plan well. */
  filterTerms: 50,
  /** Values in one any-of list. */
  valuesPerList: 200,
  /** Keys in one sort. */
  sortKeys: 5,
  /** How deep relations may be followed in one path or embed: each step is a join. */
  pathDepth: 3,
  /** Rows on a page when the caller names no number, and at most. */
  perPageDefault: 15,
  perPageMax: 100,
  /** A page number: offset stays inside a 32-bit integer. */
  pageMax: 20_000_000,
  /** A JSON body; a larger one is refused with 413. */
  jsonBytes: 1_048_576,
  /** JSON nesting: deeper values overflow recursive code; it is refused with 400. */
  jsonDepth: 32,
  /** Of a json value with more parts only the first mistake is reported: each mistake takes 200 bytes, in every form that is tried. */
  jsonReportedParts: 1_000,
  /** Complaints about one body, and characters of an unknown key in them: what is told must not outgrow what was sent. */
  bodyErrors: 100,
  unknownKeyLength: 64,
  /** A Content-Type: two words of 127 characters at most, and a multipart boundary of 70. */
  contentTypeLength: 400,
  /** A query string: longer than any form, shorter than Node's header limit. */
  queryBytes: 8_192,
  /** Unknown parameters that one answer tells of: each is compared with every name that is known. */
  queryErrors: 50,
  /** A search term: longer ones match nothing and cost trigrams. */
  searchLength: 255,
  /** Default maximum of a string and of a long text, in characters. */
  stringLength: 255,
  textLength: 65_535,
  /** A pattern's characters; the steps it has when its repetitions are written out; steps times characters of one value, 30 ms at worst. */
  patternLength: 500,
  patternSize: 2_000,
  patternSteps: 1_000_000,
  /** Items in a list and bytes in a json field unless the YAML says otherwise. */
  listItems: 100,
  jsonFieldBytes: 65_536,
  /** Largest id: ids are 32-bit so that a ten-digit uid above 3,000,000,000 can never be one. */
  idMax: 2_147_483_647,
  /** An Idempotency-Key in characters, and how long its answer is kept, in milliseconds. */
  idempotencyKeyLength: 255,
  idempotencyMs: 86_400_000,
  /** How long a request holds its Idempotency-Key before it is taken for crashed, in milliseconds: above any answer's time. */
  idempotencyClaimMs: 120_000,
  /** The window of the rate limits, and how many callers one process remembers in it. */
  rateWindowMs: 60_000,
  rateCallers: 100_000,
  /** A multipart body, its files, and its other parts: photos and scanned letters fit. */
  uploadBytes: 10_485_760,
  uploadFiles: 1,
  uploadFields: 50,
  /** The headers of one part: a browser sends two or three, of a few hundred bytes. */
  partHeaderBytes: 8_192,
  partHeaders: 20,
  /** What is still read of a body that was refused for its size, so that the client sees the answer instead of a reset. */
  refusedBytes: 16_777_216,
  /** An incoming X-Request-Id: longer ones are replaced. */
  requestIdLength: 128,
  /** Headers of one request, and how long they and the whole request may take to arrive, in milliseconds. */
  headerBytes: 16_384,
  headersMs: 10_000,
  requestMs: 60_000,
  /** How long an idle connection is kept: longer than the 60 seconds of usual proxies, which else meet a closed one. */
  keepAliveMs: 65_000,
  /** Compiled statements kept per connection (each costs 130-325 KiB of database memory). */
  namedStatements: 64,
  /** Compiled request shapes kept in the process. */
  compiledShapes: 1_000,
  /** Records of a `cache: true` resource kept in the process; a larger one is joined like any other. */
  lookupRows: 2_000,
  /** After so long kept records are read again, in case a word of their change was lost, in milliseconds. */
  lookupMs: 5_000,
  /** Single reads that share one statement, and how many such statements of one shape run at a time. */
  gatheredReads: 50,
  gatheringStatements: 4,
  /** One statement's run time, and the wait for a connection, in milliseconds. */
  statementMs: 10_000,
  acquireMs: 5_000,
  /**
   * How often statements without an answer are looked at, after how long the server is asked whether it works on them,
   * and how long it has to say so, in milliseconds: a connection that was cut in silence is given up within five seconds.
   */
  watchMs: 1_000,
  silentMs: 3_000,
  probeMs: 2_000,
  /** How long a command that uses a running server's embedded database may hold it and say nothing, in milliseconds. */
  commandSilenceMs: 10_000,
  /** Requests waiting for a connection: beyond it the caller is told 503 at once. */
  poolQueue: 500,
  /** Jobs that one process runs at a time: enough to wait for mail servers beside a long export, few enough for the pool. */
  jobSlots: 4,
  /** A job's payload and result in bytes: it names what to work on; the longest is a mail with the longest text, sealed. */
  jobBytes: 524_288,
  /** How long a process owns a job without a sign of life, and how often it looks for jobs that nobody told it of, in milliseconds. */
  jobLeaseMs: 30_000,
  jobPollMs: 5_000,
  /** How often a job is tried unless its plugin says otherwise, and the wait before a retry, doubled each time, in milliseconds. */
  jobAttempts: 5,
  jobBackoffMs: 2_000,
  jobBackoffMostMs: 900_000,
  /** How often it is looked whether every scheduled job has its next run waiting, in milliseconds. */
  jobScheduleMs: 60_000,
  /** How long a completed job can still be read, and how long one that was given up can be tried again, in milliseconds. */
  jobKeepMs: 604_800_000,
  jobKeepFailedMs: 2_592_000_000,
  /** How long a stopping process waits for jobs that it has told to stop, in milliseconds. */
  jobStopMs: 500,
  /** Rows that housekeeping deletes with one statement: short enough to be in nobody's way. */
  deleteBatch: 1_000,
  /** How long a change of the YAML waits for requests in flight before it changes the tables under them, in milliseconds. */
  reloadWaitMs: 2_000,
  /** How long requests in flight may take after SIGTERM, in milliseconds. */
  drainMs: 8_000,
} as const

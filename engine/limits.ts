/** The limits of the engine, each with its reason; an application can lower some of them in app.yaml. */
import { WORK_LIMITS } from './work-limits.ts'

export const LIMITS = {
  /** A source file: far above any hand-written resource, far below what slows the parser. */
  sourceBytes: 1_048_576,
  /** Nodes of one source after its aliases are followed, and their depth: stops alias bombs. */
  sourceNodes: 50_000,
  sourceDepth: 64,
  /** Fields of one resource: PostgreSQL allows 1,600 columns; a form of 300 is unusable long before. */
  fieldsPerResource: 300,
  /** Rules of one resource: the statement of a write has all rules that concern it. */
  rulesPerResource: 50,
  /** Automations of one resource: each one for writes reads the log separately. */
  automationsPerResource: 50,
  /** Records in a list of those that break a rule: enough to look at some, short enough to read. */
  offendersShown: 20,
  /** Records of a table that a plan examines for a changed policy: each is judged by every condition. */
  plannedRecords: 1_000_000,
  /**
   * The time until a server writes down what it serves, in milliseconds: describing it takes a tenth of a second of
   * processor time, and the first answers come first.
   */
  rememberAfterMs: 1_000,
  /** Rows that one statement of a migration changes: writers of those rows wait for it, some milliseconds. */
  migrationBatch: 1_000,
  /** Records that a plan names as obstacles to a change: enough to look at some. */
  obstaclesShown: 10,
  /** Terms in one filter, policy or query: as many as a statement with indexes can plan well. */
  filterTerms: 50,
  /**
   * Characters of one `where`; the depth of its filters, also together with stored conditions; and the relations that
   * it follows from one record: each step is a sub-select in another, for anybody who may send requests.
   */
  whereLength: 65_536,
  whereDepth: 8,
  whereRelations: 4,
  /** Mistakes in one `where` that an answer reports: each is compared with all possible names. */
  whereErrors: 10,
  /**
   * Names in `fields`, `omit` or `include`; records of an included relation for each record of a list, by default and
   * at most; and relations to many that may be included at a time: each is a sub-select for each record.
   */
  projectedNames: 200,
  includedDefault: 10,
  includedMost: 50,
  includedRelations: 5,
  /**
   * Parts of a value that the database computes from other fields, including those of these fields: its SQL holds all
   * of them.
   */
  formulaParts: 200,
  /** Values in one any-of list. */
  valuesPerList: 200,
  /** Keys in one sort. */
  sortKeys: 5,
  /** The depth of relations in one path or embed: each step is a join. */
  pathDepth: 3,
  /** OpenAPI documents that are kept, one for each class of callers: 300 KB each. */
  documents: 32,
  /** Resources or groups in one part of the document: each is as large as its routes are many. */
  documentGroups: 20,
  /** Group terms, figures and groups of one summary: a chart shows fewer. */
  summaryTerms: 3,
  summaryFigures: 10,
  summaryGroups: 1_000,
  /** Rows on a page, by default and at most. */
  perPageDefault: 15,
  perPageMax: 100,
  /**
   * Records that one request may write: as many as one transaction writes in a second or two. This many count as one
   * more request.
   */
  batchOperations: 500,
  batchUnit: 100,
  /**
   * Records that one statement creates where nobody reads its answer: with the longest texts in a row of a file, a
   * statement of some megabytes.
   */
  createUnit: 1_000,
  /** A page number: offset stays inside a 32-bit integer. */
  pageMax: 20_000_000,
  /** A JSON body; a larger one is refused with 413. */
  jsonBytes: 1_048_576,
  /** JSON nesting: deeper values would overflow recursive code, and are refused with 400. */
  jsonDepth: 32,
  /**
   * A json value with more parts reports only its first mistake: each mistake takes 200 bytes, in every form that is
   * tried.
   */
  jsonReportedParts: 1_000,
  /** Mistakes about one body, and characters of an unknown key in them: the answer must not grow beyond the request. */
  bodyErrors: 100,
  unknownKeyLength: 64,
  /** A Content-Type: two words of 127 characters at most, and a multipart boundary of 70. */
  contentTypeLength: 400,
  /** A query string: longer than any form, shorter than Node's header limit. */
  queryBytes: 8_192,
  /** Unknown parameters that one answer reports: each is compared with every known name. */
  queryErrors: 50,
  /** A search term: longer ones match nothing and cost trigrams. */
  searchLength: 255,
  /** Words of one search: each is a condition on all searched fields. */
  searchWords: 10,
  /**
   * Texts with the words of a search that are examined for its total, and texts with its rarest word for ranking; the
   * first records of a list in which more common words are searched, and the newest ones for known words: 50 ms of
   * reading.
   */
  searchCounted: 10_000,
  searchRanked: 2_000,
  searchWalked: 1_000,
  searchKnown: 1_000,
  /**
   * Records that are counted of a list with an estimated total, where PostgreSQL's estimate would reveal records that
   * the caller may not see.
   */
  estimatedCounted: 10_000,
  /**
   * The budget of the templates of one request or mail: milliseconds of the processor, characters and list elements on
   * the way, and bytes of output beyond the long values that they are given; the numbers of one range; and the
   * characters of one template (the longest text of an automation, as HTML).
   */
  templateMs: 100,
  templateMemory: 1_000_000,
  templateBytes: 65_536,
  templateRange: 1_000,
  templateLength: 131_072,
  /** Default maximum of a string and of a long text, in characters. */
  stringLength: 255,
  textLength: 65_535,
  /**
   * Characters of a pattern; its steps with repetitions written out; and steps times characters of one value, 30 ms at
   * worst.
   */
  patternLength: 500,
  patternSize: 2_000,
  patternSteps: 1_000_000,
  /** Items of a list and bytes of a json field, unless the YAML says otherwise. */
  listItems: 100,
  jsonFieldBytes: 65_536,
  /** The largest id: ids have 32 bits, so that a ten-digit uid above 3,000,000,000 is never an id. */
  idMax: 2_147_483_647,
  /** Characters of an Idempotency-Key, and how long its answer is kept, in milliseconds. */
  idempotencyKeyLength: 255,
  idempotencyMs: 86_400_000,
  /** The longest answer that is kept for an Idempotency-Key, in bytes; of a longer one only its existence is known. */
  idempotencyBytes: 1_048_576,
  /**
   * How long a route that works in steps counts as working under an Idempotency-Key, in milliseconds: longer than any
   * answer takes.
   */
  idempotencyClaimMs: 120_000,
  /** The window of the rate limits, and the callers that one process remembers in it. */
  rateWindowMs: 60_000,
  rateCallers: 100_000,
  /** A multipart body, its files, and its other parts: photos and scanned letters fit. */
  uploadBytes: 10_485_760,
  uploadFiles: 1,
  uploadFields: 50,
  /** The headers of one part: a browser sends two or three, of a few hundred bytes. */
  partHeaderBytes: 8_192,
  partHeaders: 20,
  /**
   * The bytes still read of a body that was refused for its size, so that the client sees the answer instead of a
   * reset.
   */
  refusedBytes: 16_777_216,
  /** An incoming X-Request-Id: longer ones are replaced. */
  requestIdLength: 128,
  /** Headers of one request, and the longest time for them and for the whole request to arrive, in milliseconds. */
  headerBytes: 16_384,
  headersMs: 10_000,
  requestMs: 60_000,
  /**
   * How long an idle connection is kept: longer than the 60 seconds of usual proxies, which would otherwise use a
   * closed one.
   */
  keepAliveMs: 65_000,
  /** Compiled statements kept per connection (each costs 130-325 KiB of database memory). */
  namedStatements: 64,
  /** Compiled request shapes kept in the process. */
  compiledShapes: 1_000,
  /** Plans of requests kept in the process: more than statements, since some plans are only made to be looked at. */
  plans: 2_000,
  /**
   * Request shapes that callers make up (`where`): fewer, so that they never displace the usual ones; characters of the
   * longest text among them; and of the name of a shape, which is shortened beyond that.
   */
  madeUpShapes: 200,
  madeUpLength: 32_768,
  shapeLength: 400,
  /** Records of a `cache: true` resource kept in the process; a larger one is joined like any other. */
  lookupRows: 2_000,
  /** The time after which kept records are read again, in case news of a change was lost, in milliseconds. */
  lookupMs: 5_000,
  /** Single reads that share one statement, and the statements of one shape that run at a time. */
  gatheredReads: 50,
  gatheringStatements: 4,
  /** The run time of one statement, and the wait for a connection, in milliseconds. */
  statementMs: 10_000,
  acquireMs: 5_000,
  /** How long a statement waits for a row or a table of another transaction: the wait occupies a connection. */
  lockMs: 2_000,
  /**
   * How often work is repeated after a conflict with other work (a deadlock, a serialization failure), and the longest
   * pause before the first repetition, doubled each time. Of many that conflict, one succeeds each time, after a second
   * in which the database looks for the deadlock; few remain after four repetitions.
   */
  collisionTries: 4,
  collisionPauseMs: 20,
  /**
   * How often statements without an answer are examined, after how long the server is asked about them, and how long it
   * has to answer, in milliseconds: a connection that was cut silently is given up within five seconds.
   */
  watchMs: 1_000,
  silentMs: 3_000,
  probeMs: 2_000,
  /** How long a command may hold a running server's embedded database in silence, in milliseconds. */
  commandSilenceMs: 10_000,
  /** Requests that wait for a connection; further callers get 503 at once. */
  poolQueue: 500,
  /**
   * The queue of connections; the connections within this many milliseconds after which more handles accept them; and
   * the number of handles. A process with five times its load has turns of 30 ms, and 64 handles then accept 2,000
   * connections a second. Each costs a new connection half a microsecond.
   */
  listenBacklog: 4_096,
  acceptWidenFrom: 100,
  acceptLookMs: 1_000,
  acceptHandles: 64,
  /**
   * Requests in flight: at most (beyond that even cheap ones wait for seconds) and, when overload has lowered the
   * limit, at least, so that the database is never idle.
   */
  inFlightMost: 500,
  inFlightLeast: 32,
  /**
   * The wait of requests that counts as overload, the time of one measurement, and the time between two log lines about
   * refused requests, in milliseconds.
   */
  waitTargetMs: 100,
  admissionWindowMs: 100,
  sayRefusedMs: 10_000,
  /**
   * Large answers that one process sends at a time, each some megabytes of memory, and those of one caller, so that
   * nobody occupies all places; the time after which a client that takes nothing loses its place, in milliseconds; and
   * the time after which one may lose it to another when it takes fewer bytes a second.
   */
  largeAnswers: 8,
  largeAnswersPerCaller: 2,
  stalledMs: 30_000,
  slowReaderMs: 30_000,
  slowReaderBytes: 8_192,
  /** How long a change of the YAML waits for requests in flight before it changes their tables, in milliseconds. */
  reloadWaitMs: 2_000,
  /**
   * How long a request waits while its tables change, in milliseconds: as long as a statement may take, so that the
   * answer comes before usual callers and proxies give up (30 to 60 seconds).
   */
  heldMs: 10_000,
  /**
   * The time between two looks of an instance for a new version, of one that waits for answers, and while requests
   * wait; and how long it waits for them, in milliseconds.
   */
  rolloutPollMs: 1_000,
  rolloutLookMs: 50,
  rolloutHeldMs: 4,
  rolloutAnswerMs: 10_000,
  /**
   * The time between two signs of life of an instance, the silence after which an instance without a session counts as
   * gone, and the age at which its row is deleted, in milliseconds: a new session exists within a second of the loss of
   * one.
   */
  instanceBeatMs: 2_000,
  instanceSilenceMs: 5_000,
  instanceKeepMs: 86_400_000,
  /**
   * The time between two checks of the session that shows that a process lives, and before another one is opened, in
   * milliseconds.
   */
  presenceCheckMs: 2_000,
  presenceAgainMs: 500,
  /**
   * How long a stopping process accepts connections and closes them with their answers, how long it keeps silent ones
   * (longer than most callers pause), and how long requests in flight may take, in milliseconds.
   */
  lingerMs: 300,
  silentConnectionMs: 1_000,
  drainMs: 8_000,
  /** How long a start takes before probes are answered, in milliseconds: usual ones have ended by then. */
  startProbesMs: 2_000,
  /**
   * How long a start that must stop lets its statement run before it is cancelled, and then waits for its end, in
   * milliseconds.
   */
  startStopMs: 1_500,
  startEndMs: 5_000,
  /** Requests of one scenario: a longer one is several. */
  stepsPerScenario: 100,
  /** Test files of an application that run at once: each has an embedded database of half a gigabyte. */
  testsAtOnce: 4,
  /** Letters of an application's name, which the database, the image and the containers share. */
  applicationName: 50,
  ...WORK_LIMITS,
} as const

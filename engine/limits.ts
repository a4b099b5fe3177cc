/** Every limit of the engine, each with its reason; an application narrows some of them in app.yaml. */
import { WORK_LIMITS } from './work-limits.ts'

export const LIMITS = {
  /** A source file: far above any hand-written resource, far below what slows the parser. */
  sourceBytes: 1_048_576,
  /** Nodes of one source once its aliases are followed, and how deep they nest: stops alias bombs. */
  sourceNodes: 50_000,
  sourceDepth: 64,
  /** Fields of one resource: PostgreSQL allows 1,600 columns; a form of 300 is unusable long before. */
  fieldsPerResource: 300,
  /** Rules of one resource: all of those that a write concerns are in its statement. */
  rulesPerResource: 50,
  /** Automations of one resource: each that hears of writes reads the log by itself. */
  automationsPerResource: 50,
  /** Records that a list of those that break a rule names: enough to look at some, short enough to read. */
  offendersShown: 20,
  /** Records of a table that a plan looks at for what a changed policy admits: each is judged by every condition. */
  plannedRecords: 1_000_000,
  /**
   * How long a server serves before it writes down what it serves, in milliseconds: describing it takes a tenth of a second
   * of the processor, and the first answers come before.
   */
  rememberAfterMs: 1_000,
  /** Rows that a migration changes by one statement: writers of those rows wait for it, some milliseconds. */
  migrationBatch: 1_000,
  /** Records that a plan names of those that stand in a change's way: enough to look at some. */
  obstaclesShown: 10,
  /** Terms in one filter, policy or query: what one index-backed statement can still plan well. */
  filterTerms: 50,
  /**
   * Characters of one `where`, and of it and of conditions that are stored for later how deep filters stand in it within filters, and how many relations it follows from one
   * record: each step is one more sub-select in each other, for whoever may send requests.
   */
  whereLength: 65_536,
  whereDepth: 8,
  whereRelations: 4,
  /** Mistakes in one `where` that an answer tells of: each is compared with all names that could be meant. */
  whereErrors: 10,
  /**
   * Names in `fields`, `omit` or `include`; records of an included relation that each record of a list has if no number is
   * given, and at most; and relations to many that may be included at a time: each is a sub-select for each record.
   */
  projectedNames: 200,
  includedDefault: 10,
  includedMost: 50,
  includedRelations: 5,
  /** Parts of a value that the database computes from other fields, with those of the fields that it names: its SQL holds all of them. */
  formulaParts: 200,
  /** Values in one any-of list. */
  valuesPerList: 200,
  /** Keys in one sort. */
  sortKeys: 5,
  /** How deep relations may be followed in one path or embed: each step is a join. */
  pathDepth: 3,
  /** OpenAPI documents that are kept, one for each class of callers: 300 KB each. */
  documents: 32,
  /** Terms by which a summary groups, figures that it gives, and groups that it answers: a chart shows fewer. */
  summaryTerms: 3,
  summaryFigures: 10,
  summaryGroups: 1_000,
  /** Rows on a page when the caller names no number, and at most. */
  perPageDefault: 15,
  perPageMax: 100,
  /** Records that one request may write: what one transaction does in a second or two. As many of them count as one request more. */
  batchOperations: 500,
  batchUnit: 100,
  /** Records that one statement creates where nobody reads its answer: with the longest texts that fit into a row of a file, a statement of some megabytes. */
  createUnit: 1_000,
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
  /** Words of one search: each is a condition on all fields that are searched. */
  searchWords: 10,
  /**
   * Texts with the words of a search that are looked at for its total, and with its rarest word up to which it is ranked;
   * first records of a list in which commoner words are looked for, newest ones that give known words: 50 ms of reading.
   */
  searchCounted: 10_000,
  searchRanked: 2_000,
  searchWalked: 1_000,
  searchKnown: 1_000,
  /** Records counted of a list with an estimated total, where what PostgreSQL expects would tell of records that the caller may not see. */
  estimatedCounted: 10_000,
  /**
   * What the templates of one request or mail may take: milliseconds of the processor, characters and elements of lists on
   * the way, and bytes that they put out beyond long values that they are given; the numbers of one range, and characters
   * of one template (the longest text of an automation, as HTML).
   */
  templateMs: 100,
  templateMemory: 1_000_000,
  templateBytes: 65_536,
  templateRange: 1_000,
  templateLength: 131_072,
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
  /** The longest answer that is kept for an Idempotency-Key, in bytes: what was done for a longer one is known, and no more. */
  idempotencyBytes: 1_048_576,
  /** How long a route that works in steps is taken to be at work under an Idempotency-Key, in milliseconds: above any answer's time. */
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
  /** Plans of requests kept in the process: more than statements, since some plans are only made to be looked at. */
  plans: 2_000,
  /**
   * Of shapes that callers make up (`where`) a smaller number, so that these never push out the usual ones; characters of
   * the longest text among them; and of a shape's name, which is shortened beyond that.
   */
  madeUpShapes: 200,
  madeUpLength: 32_768,
  shapeLength: 400,
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
  /** How long a statement waits for a row or a table that another transaction holds: a wait keeps a connection from everybody else. */
  lockMs: 2_000,
  /**
   * How often work is done again that was in the way of other work (a deadlock, a serialization failure), and the longest
   * pause before the first time, doubled each time: of many that meet each other one comes through each time, after a
   * second in which the database looks for the deadlock, and few are left after four of these.
   */
  collisionTries: 4,
  collisionPauseMs: 20,
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
  /**
   * Connections that wait to be accepted; how many come within so many milliseconds before more handles accept them, and
   * how many handles those are: a process with five times the work that it can do has turns of 30 ms, and they then take
   * 2,000 a second. Each costs a new connection half a microsecond.
   */
  listenBacklog: 4_096,
  acceptWidenFrom: 100,
  acceptLookMs: 1_000,
  acceptHandles: 64,
  /**
   * Requests in flight at a time: at most (beyond it even cheap ones wait for seconds) and, when overload has narrowed it,
   * at least, so that the database never waits for requests.
   */
  inFlightMost: 500,
  inFlightLeast: 32,
  /**
   * How long requests may wait inside before that is overload, how long one measurement of it takes, and how often the
   * log tells of refused requests, in milliseconds.
   */
  waitTargetMs: 100,
  admissionWindowMs: 100,
  sayRefusedMs: 10_000,
  /**
   * Large answers that one process sends at a time, each some megabytes of memory, and those of one caller, so that nobody
   * holds the places of all others; after how long a reader that takes
   * nothing loses its place, in milliseconds; and after how long one may lose it to another when it takes fewer bytes a
   * second than that.
   */
  largeAnswers: 8,
  largeAnswersPerCaller: 2,
  stalledMs: 30_000,
  slowReaderMs: 30_000,
  slowReaderBytes: 8_192,
  /** How long a change of the YAML waits for requests in flight before it changes the tables under them, in milliseconds. */
  reloadWaitMs: 2_000,
  /**
   * How long a request waits at most while the tables change under it, in milliseconds: as long as a statement may take, so
   * that it is answered before usual callers and proxies give up (30 to 60 seconds).
   */
  heldMs: 10_000,
  /**
   * How often an instance looks whether another version is to be served, how often whoever waits for answers looks, and
   * how often while requests wait for it, and how long it waits for them, in milliseconds.
   */
  rolloutPollMs: 1_000,
  rolloutLookMs: 50,
  rolloutHeldMs: 4,
  rolloutAnswerMs: 10_000,
  /**
   * How often an instance shows that it lives, after what silence one whose session is gone too is taken for gone, and
   * when its row goes, in milliseconds: a new session is there within a second of the loss of one.
   */
  instanceBeatMs: 2_000,
  instanceSilenceMs: 5_000,
  instanceKeepMs: 86_400_000,
  /** How often the session by which a process shows that it lives is tried, and how soon another one is opened, in milliseconds. */
  presenceCheckMs: 2_000,
  presenceAgainMs: 500,
  /**
   * How long a stopping process accepts connections whose answers say that they close, how long it keeps those on which
   * nothing is asked (longer than most callers pause), and how long requests in flight may take, in milliseconds.
   */
  lingerMs: 300,
  silentConnectionMs: 1_000,
  drainMs: 8_000,
  /** How long a start may take before probes are answered meanwhile, in milliseconds: usual ones have ended by then. */
  startProbesMs: 2_000,
  /** How long a start that is told to stop lets its statement run before it is cancelled, and then waits for it to end, in milliseconds. */
  startStopMs: 1_500,
  startEndMs: 5_000,
  /** Requests of one scenario: what is longer is several. */
  stepsPerScenario: 100,
  /** Test files of an application that run at the same time: each has an embedded database of half a gigabyte. */
  testsAtOnce: 4,
  /** Letters of an application's name: the database, the image and the containers are called after it. */
  applicationName: 50,
  ...WORK_LIMITS,
} as const

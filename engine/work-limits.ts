/** Limits of what runs outside requests: jobs, listeners, streams, automations, calls of outside servers, housekeeping. */
export const WORK_LIMITS = {
  /**
   * Jobs that one process runs at a time. One kind gets a quarter of the places unless it says otherwise, long ones get
   * half of them, and short ones leave one free: two kinds that wait for silent servers hold nobody else up.
   */
  jobSlots: 8,
  /** A job's payload and result in bytes: it names what to work on; the longest is a mail with the longest text, sealed. */
  jobBytes: 524_288,
  /** How long a process owns a job without a sign of life, and how often it looks for jobs that nobody told it of, in milliseconds. */
  jobLeaseMs: 30_000,
  jobPollMs: 5_000,
  /**
   * How long a job may run without coming further, and a long one, in milliseconds: what waits for an end that never comes
   * gives its place back. The slowest mail takes a minute; housekeeping goes on in its next run.
   */
  jobMs: 600_000,
  jobLongMs: 3_600_000,
  /** How long a job waits at most for a moment in which no request is in flight, in milliseconds: requests come first. */
  jobGapMs: 100,
  /** How often a job is tried unless its plugin says otherwise, and the wait before a retry, doubled each time, in milliseconds. */
  jobAttempts: 5,
  jobBackoffMs: 2_000,
  jobBackoffMostMs: 900_000,
  /** How often it is looked whether every scheduled job has its next run waiting, in milliseconds. */
  jobScheduleMs: 60_000,
  /** How long a completed job can still be read, and how long one that was given up can be tried again, in milliseconds. */
  jobKeepMs: 604_800_000,
  jobKeepFailedMs: 2_592_000_000,
  /** Changes that a listener works in one transaction: enough that a hundred cost little more than one. */
  listenerBatch: 200,
  /** Changes that it works beyond those where one request wrote them: a request writes 500 records, and what follows from some. */
  listenerRequest: 1_000,
  /** How often listeners look for changes that nobody told them of, and the least time between two looks, in milliseconds. */
  listenerPollMs: 2_000,
  listenerPauseMs: 50,
  /**
   * After a round a listener gathers what comes for so many milliseconds for each change of the round, and at most for so
   * many: from some hundred changes a second on rounds become fewer and larger, and each change costs less.
   */
  listenerRestMs: 10,
  listenerRestMostMs: 250,
  /** How often a change that a listener cannot work is tried, and the wait before a retry, doubled each time, in milliseconds. */
  listenerAttempts: 5,
  listenerBackoffMs: 2_000,
  listenerBackoffMostMs: 900_000,
  /** How long the log keeps changes that only listeners asked for, and those that a listener set aside, in milliseconds. */
  changeKeepMs: 604_800_000,
  changeKeepFailedMs: 2_592_000_000,
  /** Streams that one process serves at a time, some 30 KB of memory each, and those of one caller: a few devices with some tabs. */
  streams: 2_000,
  streamsPerCaller: 20,
  /** How often a stream says that it lives: proxies close what is silent for 30 to 60 seconds; in milliseconds. */
  streamHeartbeatMs: 15_000,
  /** How often it is asked whether the readers of streams may still be told, in milliseconds: who signs out hears nothing a second later. */
  streamCheckMs: 500,
  /** The least time between two batches, in milliseconds: changes gather meanwhile, and readers still hear of them at once. */
  streamPauseMs: 100,
  /** After how long a reader whose stream ended comes back at the earliest and at the latest, in milliseconds: not all at once. */
  streamRetryMs: 1_000,
  streamRetryMostMs: 3_000,
  /** Bytes that wait for a reader; one that is further behind is cut off, and goes on where it was. */
  streamUnsentBytes: 1_048_576,
  /** Changes in one batch, beyond which readers are told to read their lists again, and the records that one statement judges. */
  streamChanges: 10_000,
  streamRecords: 200,
  /** Places in the log from which readers go on that one batch serves; others wait for the next one. */
  streamPlaces: 20,
  /** Records for which an automation acts in one transaction: their rows, and the embedded database, are held until it ends. */
  automationBatch: 50,
  /** How often moments and schedules are looked for that have come, in milliseconds: nobody waits for one by the second. */
  automationPollMs: 5_000,
  /** Automations in a row that set each other off: what is meant is over after two or three. */
  automationChain: 8,
  /** How long runs of automations can be read, and those that did nothing because their condition did not hold, in milliseconds. */
  automationKeepMs: 7_776_000_000,
  automationUnmetKeepMs: 604_800_000,
  /** How long a stopping process waits for jobs that it has told to stop, in milliseconds. */
  jobStopMs: 500,
  /**
   * Calls in a row that reach nobody until an outside server is left alone; the first pause, doubled up to the longest;
   * the wait of whoever comes while one call finds out whether it is back; all in milliseconds. And how many servers are
   * known at a time.
   */
  breakerFailures: 3,
  breakerPauseMs: 10_000,
  breakerPauseMostMs: 300_000,
  breakerProbeMs: 1_000,
  breakers: 200,
  /** Files in passing of this age were left by a process that was killed, in milliseconds: no import takes a day. */
  temporaryMs: 86_400_000,
  /** Rows that housekeeping deletes with one statement: short enough to be in nobody's way. */
  deleteBatch: 1_000,
} as const

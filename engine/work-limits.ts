/** Limits of work outside requests: jobs, listeners, streams, automations, calls of outside servers, housekeeping. */
export const WORK_LIMITS = {
  /**
   * Jobs that one process runs at a time. One kind gets a quarter of the places unless it says otherwise, long ones get
   * half of them, and short ones leave one free: two kinds that wait for silent servers delay nobody else.
   */
  jobSlots: 8,
  /**
   * The bytes of a job's payload and result: it names its work; the longest is a mail with the longest text, sealed.
   */
  jobBytes: 524_288,
  /**
   * How long a process owns a job without a sign of life, and the time between two looks for jobs without a wake-up, in
   * milliseconds.
   */
  jobLeaseMs: 30_000,
  jobPollMs: 5_000,
  /**
   * How long a job may run without progress, and a long one, in milliseconds: a job that waits forever gives its place
   * back. The slowest mail takes a minute; housekeeping continues in its next run.
   */
  jobMs: 600_000,
  jobLongMs: 3_600_000,
  /** The longest wait of a job for a moment without requests, in milliseconds: requests come first. */
  jobGapMs: 100,
  /**
   * The tries of a job unless its plugin says otherwise, and the wait before a retry, doubled each time, in
   * milliseconds.
   */
  jobAttempts: 5,
  jobBackoffMs: 2_000,
  jobBackoffMostMs: 900_000,
  /** The time between two checks that every scheduled job has its next run in the queue, in milliseconds. */
  jobScheduleMs: 60_000,
  /** How long a completed job can be read, and how long a failed one can be tried again, in milliseconds. */
  jobKeepMs: 604_800_000,
  jobKeepFailedMs: 2_592_000_000,
  /** Changes that a listener processes in one transaction: a hundred cost little more than one. */
  listenerBatch: 200,
  /**
   * Further changes that it processes because the same request wrote them: a request writes 500 records, and some
   * consequences.
   */
  listenerRequest: 1_000,
  /**
   * The time between two looks of listeners without a wake-up, and the least time between two looks, in milliseconds.
   */
  listenerPollMs: 2_000,
  listenerPauseMs: 50,
  /**
   * After a round a listener waits this many milliseconds for each change of the round, up to the second number: from
   * some hundred changes a second on, rounds become fewer and larger, and each change costs less.
   */
  listenerRestMs: 10,
  listenerRestMostMs: 250,
  /**
   * The tries of a change that a listener cannot process, and the wait before a retry, doubled each time, in
   * milliseconds.
   */
  listenerAttempts: 5,
  listenerBackoffMs: 2_000,
  listenerBackoffMostMs: 900_000,
  /**
   * How long the log keeps changes that only listeners need, and changes that a listener set aside, in milliseconds.
   */
  changeKeepMs: 604_800_000,
  changeKeepFailedMs: 2_592_000_000,
  /**
   * Streams that one process serves at a time, about 30 KB of memory each, and those of one caller: a few devices with
   * some tabs.
   */
  streams: 2_000,
  streamsPerCaller: 20,
  /**
   * The time between two signs of life of a stream, in milliseconds: proxies close connections that are silent for 30
   * to 60 seconds.
   */
  streamHeartbeatMs: 15_000,
  /**
   * The time between two checks of the readers' rights, in milliseconds: a person who signed out gets nothing a second
   * later.
   */
  streamCheckMs: 500,
  /** The least time between two batches, in milliseconds: changes gather, and readers still get them at once. */
  streamPauseMs: 100,
  /**
   * The shortest and the longest wait before a reader comes back after its stream ended, in milliseconds: not all at
   * once.
   */
  streamRetryMs: 1_000,
  streamRetryMostMs: 3_000,
  /** Bytes that wait for a reader; a slower one is cut off, and continues where it was. */
  streamUnsentBytes: 1_048_576,
  /**
   * Changes in one batch, beyond which readers must read their lists again, and the records that one statement judges.
   */
  streamChanges: 10_000,
  streamRecords: 200,
  /** Places in the log that one batch serves; readers at others wait for the next one. */
  streamPlaces: 20,
  /**
   * Records for which an automation acts in one transaction, which holds their rows and the embedded database until it
   * ends.
   */
  automationBatch: 50,
  /**
   * The time between two looks for moments and schedules that have come, in milliseconds: nobody waits for one by the
   * second.
   */
  automationPollMs: 5_000,
  /** Automations that start each other: useful chains end after two or three. */
  automationChain: 8,
  /** How long runs of automations can be read, and those whose condition did not hold, in milliseconds. */
  automationKeepMs: 7_776_000_000,
  automationUnmetKeepMs: 604_800_000,
  /** How long a stopping process waits for its jobs, in milliseconds. */
  jobStopMs: 500,
  /**
   * Successive calls without an answer after which an outside server is left alone; the first pause, doubled up to the
   * longest; the wait of other callers while one call tests the server; all in milliseconds. And the most servers that
   * are known.
   */
  breakerFailures: 3,
  breakerPauseMs: 10_000,
  breakerPauseMostMs: 300_000,
  breakerProbeMs: 1_000,
  breakers: 200,
  /**
   * The age at which temporary files are left over from a process that was killed, in milliseconds: no import takes a
   * day.
   */
  temporaryMs: 86_400_000,
  /** Rows that housekeeping deletes by one statement: short enough to delay nobody. */
  deleteBatch: 1_000,
} as const

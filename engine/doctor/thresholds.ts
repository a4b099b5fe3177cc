/** From when on something is told; arguments, so that tests need no million rows. Times in milliseconds. */
export interface Thresholds {
  /** Free room of DATA_DIR in megabytes: uploads of a day, above what the embedded database needs to take writes. */
  readonly roomMb: number
  /** Between the clocks: below it tokens, leases and schedules agree. */
  readonly clockMs: number
  /** Rows from which a table that is read whole makes answers slow. */
  readonly largeRows: number
  /** Rows from which somebody should say whether a table may grow for ever. */
  readonly grownRows: number
  /** How long work may wait: no kind of job waits so long while an instance runs. */
  readonly lateMs: number
  /** How late keepers may be, which come every hour. */
  readonly keeperMs: number
  /** How long the check of a plugin may take: a server that is silent is given up earlier. */
  readonly checkMs: number
}

export const THRESHOLDS: Thresholds = Object.freeze({
  roomMb: 256,
  clockMs: 2_000,
  largeRows: 10_000,
  grownRows: 1_000_000,
  lateMs: 900_000,
  keeperMs: 86_400_000,
  checkMs: 20_000,
})

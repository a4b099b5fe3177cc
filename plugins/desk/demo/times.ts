/**
 * Times on the demo's desk: people write on any day and in the evening, staff answer at work, and some are slower than
 * others.
 */

import type { Level } from './problem.ts'
import type { Random } from './random.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

/** Tickets of about a hundred in each hour of a day. */
const HOURS = [1, 0, 0, 0, 0, 1, 3, 7, 12, 14, 13, 10, 7, 9, 11, 10, 8, 7, 6, 7, 7, 5, 3, 2] as const
const ALL_HOURS = HOURS.reduce<number>((sum, share) => sum + share, 0)
/** Out of a hundred tickets of a weekend, this many arrive on it; the others wait for a working day. */
const ON_WEEKENDS = 30

/** Staff work on weekdays between these hours, UTC; critical tickets are answered at any time. */
const OPENS = 7
const CLOSES = 17

/** Minutes of work until an average person answers. */
const USUAL: Readonly<Record<Level, number>> = { Low: 400, Medium: 170, High: 60, Critical: 20 }
/** Factors for answers: most are near 1, some take days. */
const SPREAD = [0.15, 0.25, 0.4, 0.5, 0.7, 0.8, 1, 1.2, 1.6, 2.2, 3.5, 8] as const
/** Factors for the people who answer, in turns. */
const PACES = [0.7, 1.5, 0.9, 1.2, 0.6, 2.1, 1, 0.8] as const

interface Asked {
  readonly clock: Random
  readonly now: Date
  readonly created: Date
  readonly priority: Level
  /** The id of the person who answers; undefined without one so far. */
  readonly agent: number | undefined
  readonly turns: number
}

/** The time at which a ticket of a day is written. */
export function writtenAt(clock: Random, day: Date, now: Date): Date {
  let midnight = Math.floor(day.getTime() / DAY) * DAY
  const weekday = new Date(midnight).getUTCDay()
  if ((weekday === 0 || weekday === 6) && !clock.chance(ON_WEEKENDS))
    midnight -= ((weekday === 0 ? 2 : 1) + clock.below(4)) * DAY
  const moment = midnight + hourOf(clock) * HOUR + clock.below(HOUR)
  return new Date(Math.min(moment, now.getTime() - 1 - clock.below(3 * HOUR)))
}

function hourOf(clock: Random): number {
  let at = clock.below(ALL_HOURS)
  return HOURS.findIndex((share) => {
    at -= share
    return at < 0
  })
}

/** The time of each turn on a ticket, beginning with the agent's, and of the end of its work; all before now. */
export function courseOf({ clock, now, created, priority, agent = 0, turns }: Asked): {
  readonly turns: readonly Date[]
  readonly ended: Date
} {
  const pace = PACES[agent % PACES.length]!
  const moments: number[] = []
  let at = created.getTime()
  for (let turn = 0; turn <= turns; turn += 1) {
    const minutes = (turn % 2 === 0 ? USUAL[priority] * pace : 240) * clock.pick(SPREAD)
    at += Math.max(2, minutes) * MINUTE + clock.below(20 * MINUTE)
    if (turn % 2 === 0 && priority !== 'Critical') at = atWork(clock, at)
    moments.push(at)
  }
  // An older ticket must have reached its present state.
  const room = now.getTime() - created.getTime()
  const factor = Math.min(1, (room * 0.95) / (at - created.getTime()))
  const [ended = created, ...taken] = moments
    .map((moment) => new Date(created.getTime() + (moment - created.getTime()) * factor))
    .reverse()
  return { turns: taken.reverse(), ended }
}

/** The moment itself during working hours, else some time in the first hour of the next ones. */
function atWork(clock: Random, moment: number): number {
  const midnight = Math.floor(moment / DAY) * DAY
  const weekday = new Date(midnight).getUTCDay()
  const hour = (moment - midnight) / HOUR
  if (weekday !== 0 && weekday !== 6 && hour >= OPENS && hour < CLOSES) return moment
  let next = hour < OPENS && weekday !== 0 && weekday !== 6 ? midnight : midnight + DAY
  while (new Date(next).getUTCDay() % 6 === 0) next += DAY
  return next + OPENS * HOUR + clock.below(HOUR)
}

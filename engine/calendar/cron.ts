/**
 * Schedules in the form of cron, five fields on the clocks of a time zone: parsing, and the next moment.
 *
 * Our own, because croner 11 misses a day whose clocks leave out several of its times (`0,30 2 * * *` in spring), refuses
 * `20/2`, and its messages do not say what a part may hold; catalogs need the parsed sets in any case.
 */
import { clockAt, dayAfter, dayAt, firstMomentFrom } from './zone.ts'

/** The minutes, hours, days and months of a schedule. Days: 0 is Sunday. */
export interface Cron {
  readonly text: string
  readonly minutes: ReadonlySet<number>
  readonly hours: ReadonlySet<number>
  readonly daysOfMonth: ReadonlySet<number>
  readonly months: ReadonlySet<number>
  readonly daysOfWeek: ReadonlySet<number>
  /** Where both kinds of days are restricted, one of them suffices. */
  readonly eitherDay: boolean
  /** Whether it counts hours (`*`, or every so many) instead of naming them: then it follows elapsed time. */
  readonly hourly: boolean
}

interface Part {
  readonly name: string
  readonly from: number
  readonly to: number
  readonly names: readonly string[]
}

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']
const DAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat']

const PARTS: readonly Part[] = [
  { name: 'minute', from: 0, to: 59, names: [] },
  { name: 'hour', from: 0, to: 23, names: [] },
  { name: 'day of the month', from: 1, to: 31, names: [] },
  { name: 'month', from: 1, to: 12, names: MONTHS },
  { name: 'day of the week', from: 0, to: 7, names: DAYS },
]

const MINUTE = 60_000
const DAY_MS = 86_400_000
/** The 29th of February falls on each day of the week within 40 years. */
const MOST_DAYS = 366 * 41

/** Reads `0 8 * * mon`; throws a sentence about its mistake. */
export function parseCron(text: string): Cron {
  const written = text.trim().toLowerCase().split(/\s+/)
  if (written.length !== PARTS.length)
    throw new Error(`a schedule has five parts: ${PARTS.map(({ name }) => name).join(', ')}`)
  const [minutes, hours, daysOfMonth, months, week] = PARTS.map((part, i) => numbersOf(written[i]!, part)) as [
    Set<number>,
    Set<number>,
    Set<number>,
    Set<number>,
    Set<number>,
  ]
  const isAll = (part: string): boolean => part.startsWith('*')
  const cron: Cron = {
    text,
    minutes,
    hours,
    daysOfMonth,
    months,
    // Sunday is 0 and 7.
    daysOfWeek: new Set([...week].map((day) => day % 7)),
    eitherDay: !isAll(written[2]!) && !isAll(written[4]!),
    hourly: isAll(written[1]!),
  }
  if (nextMoment(cron, 'UTC', Date.UTC(2000, 0, 1)) === undefined) throw new Error('there is no such day')
  return cron
}

/** The numbers of one part: `*`, `5`, `mon-fri`, `*∕15`, `8-18/2`, and several of these between commas. */
function numbersOf(written: string, part: Part): Set<number> {
  const numbers = new Set<number>()
  for (const item of written.split(',')) {
    const [, first = '', last, step] = /^(\*|\w+)(?:-(\w+))?(?:\/(\d{1,2}))?$/.exec(item) ?? []
    const all = first === '*'
    if (first === '' || (all && last !== undefined)) throw new Error(`"${item}" is no ${part.name}`)
    const from = all ? part.from : numberOf(first, item, part)
    // A step after one number runs to the end of the range.
    const to =
      last === 'sun' && part.names === DAYS
        ? 7
        : last !== undefined
          ? numberOf(last, item, part)
          : all || step !== undefined
            ? part.to
            : from
    if (to < from) throw new Error(`"${item}" ends before it begins`)
    if (step !== undefined && Number(step) === 0) throw new Error(`"${item}" has no step`)
    for (let at = from; at <= to; at += Number(step ?? 1)) numbers.add(at)
  }
  return numbers
}

function numberOf(word: string, item: string, { name, from, to, names }: Part): number {
  const named = names.indexOf(word)
  // Months begin with 1 and days of the week with 0.
  if (named >= 0) return named + from
  const number = /^\d{1,2}$/.test(word) ? Number(word) : Number.NaN
  if (number >= from && number <= to) return number
  const known = names.length === 0 ? `${from} to ${to}` : `${from} to ${to}, or ${names[0]} to ${names.at(-1)}`
  throw new Error(`"${item}" is no ${name}: it goes from ${known}`)
}

/**
 * The first moment of a schedule after another, in milliseconds; undefined where there is none. A time that the clocks
 * leave out when they are set forward comes when they are; of one that they show twice, the first counts. A schedule that
 * counts hours has all hours that pass, those shown twice too.
 */
export function nextMoment(cron: Cron, zone: string, after: number): number | undefined {
  return cron.hourly ? nextPassing(cron, zone, after) : nextShown(cron, zone, after)
}

/** By the times that the clocks show, day by day. */
function nextShown(cron: Cron, zone: string, after: number): number | undefined {
  const times = [...cron.hours]
    .sort(byNumber)
    .flatMap((hour) => [...cron.minutes].sort(byNumber).map((minute) => `${pad(hour)}:${pad(minute)}:00`))
  let day = dayAt(after, zone)
  for (let passed = 0; passed < MOST_DAYS; passed++, day = dayAfter(day)) {
    if (!isDay(cron, day)) continue
    for (const time of times) {
      const moment = firstMomentFrom(day, time, zone)
      if (moment > after) return moment
    }
  }
  return undefined
}

/** By the time that passes, minute by minute within the days and hours of the schedule. */
function nextPassing(cron: Cron, zone: string, after: number): number | undefined {
  let moment = Math.floor(after / MINUTE) * MINUTE + MINUTE
  const end = after + MOST_DAYS * DAY_MS
  while (moment < end) {
    const [day = '', time = ''] = clockAt(moment, zone).split('T')
    const [hour, minute] = time.split(':').map(Number)
    if (!isDay(cron, day)) moment = beginOf(dayAfter(day), zone, moment)
    else if (!cron.hours.has(hour!)) moment += (60 - minute!) * MINUTE
    else if (!cron.minutes.has(minute!)) moment += MINUTE
    else return moment
  }
  return undefined
}

/** When a day begins, which is later than `after`. */
function beginOf(day: string, zone: string, after: number): number {
  const begin = firstMomentFrom(day, '00:00:00', zone)
  return begin > after ? begin : after + MINUTE
}

function isDay({ months, daysOfMonth, daysOfWeek, eitherDay }: Cron, day: string): boolean {
  const [, month, date] = day.split('-').map(Number)
  const inMonth = daysOfMonth.has(date!)
  const inWeek = daysOfWeek.has(new Date(`${day}T00:00:00Z`).getUTCDay())
  return months.has(month!) && (eitherDay ? inMonth || inWeek : inMonth && inWeek)
}

function byNumber(a: number, b: number): number {
  return a - b
}

function pad(number: number): string {
  return String(number).padStart(2, '0')
}

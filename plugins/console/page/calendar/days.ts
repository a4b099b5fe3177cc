/** Days as texts, `2026-03-01`: weeks and months around one, in the time of the reader. */

/** The day of a moment or a day. */
export function dayOf(text: string): string {
  return /^\d{4}-\d\d-\d\d$/.test(text) ? text : dayIn(new Date(text))
}

/** The day that a clock of the reader shows. */
export function dayIn(date: Date): string {
  const two = (number: number): string => String(number).padStart(2, '0')
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`
}

/** The day so many days later. */
export function later(day: string, days: number): string {
  const [year = 0, month = 1, date = 1] = day.split('-').map(Number)
  return new Date(Date.UTC(year, month - 1, date + days)).toISOString().slice(0, 10)
}

/** The first day of the month so many months later. */
export function monthLater(day: string, months: number): string {
  const [year = 0, month = 1] = day.split('-').map(Number)
  return new Date(Date.UTC(year, month - 1 + months, 1)).toISOString().slice(0, 10)
}

interface WeekInfo {
  readonly firstDay: number
}

/** The first day of the week in a language: 1 is Monday, 7 is Sunday. */
function firstDay(language: string): number {
  const locale = new Intl.Locale(language) as Intl.Locale & {
    readonly weekInfo?: WeekInfo
    getWeekInfo?(): WeekInfo
  }
  return (locale.getWeekInfo?.() ?? locale.weekInfo)?.firstDay ?? 1
}

/** The first day of the week of a day. */
export function weekOf(day: string, language: string): string {
  const [year = 0, month = 1, date = 1] = day.split('-').map(Number)
  const weekday = new Date(Date.UTC(year, month - 1, date)).getUTCDay() || 7
  return later(day, -((weekday - firstDay(language) + 7) % 7))
}

/** The days of so many weeks. */
export function daysFrom(day: string, count: number): readonly string[] {
  return Array.from({ length: count }, (_, at) => later(day, at))
}

/** A day for people. */
export function dayText(day: string, language: string, options: Intl.DateTimeFormatOptions): string {
  return new Intl.DateTimeFormat(language, { ...options, timeZone: 'UTC' }).format(new Date(`${day}T00:00:00Z`))
}

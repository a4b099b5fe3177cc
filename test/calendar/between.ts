/** Working time counted by going through its periods: what the database's count is compared with. */
import { type Calendar, workingPeriods } from '../../engine/calendar/working-time.ts'

/** The working time between two moments, all in milliseconds; 0 when the second is not later. */
export function workingTimeBetween(calendar: Calendar, first: number, second: number): number {
  let sum = 0
  for (const { from, to } of workingPeriods(calendar, first, second))
    sum += Math.max(0, Math.min(to, second) - Math.max(from, first))
  return sum
}

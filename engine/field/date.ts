/** The field type `date`: a day of the calendar, without a time. */
import { dayOf, YEARS } from './calendar.ts'
import { ORDER_OPERATORS } from './characters.ts'
import type { FieldType } from './field-type.ts'

const FORM = 'must be a date in the form YYYY-MM-DD'

export const date: FieldType = {
  name: 'date',
  description: 'A day, YYYY-MM-DD.',
  options: {},
  column: () => 'date',
  schema: () => ({ type: 'string', format: 'date' }),
  wire: 'date',
  operators: ORDER_OPERATORS,
  sortable: true,
  decode: (value) => {
    const day = typeof value === 'string' ? dayOf(value) : undefined
    if (day === undefined) return { error: FORM }
    if (day.year < YEARS.first || day.year > YEARS.last)
      return { error: `must be a date between ${YEARS.first}-01-01 and ${YEARS.last}-12-31` }
    return { value }
  },
  parse: (text) => (dayOf(text.trim()) === undefined ? { error: FORM } : { value: text.trim() }),
}

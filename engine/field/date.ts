/** The field type `date`: a day of the calendar, without a time. */
import { dayOf, YEARS } from './calendar.ts'
import { ORDER_OPERATORS } from './characters.ts'
import type { FieldType } from './field-type.ts'

const FORM = { code: 'wrong_format', error: 'must be a date in the form YYYY-MM-DD' } as const

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
    if (day === undefined) return FORM
    if (day.year < YEARS.first || day.year > YEARS.last)
      return { code: 'out_of_range', error: `must be a date between ${YEARS.first}-01-01 and ${YEARS.last}-12-31` }
    return { value }
  },
  parse: (text) => (dayOf(text.trim()) === undefined ? FORM : { value: text.trim() }),
}

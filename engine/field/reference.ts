/** The field type `reference`: the foreign key of a belongs_to relation. */
import { LIMITS } from '../limits.ts'
import type { FieldType } from './field-type.ts'
import { wholeNumber } from './integer.ts'

export const reference: FieldType = {
  name: 'reference',
  description: 'The id of a record of another resource.',
  options: {},
  internal: true,
  column: () => 'integer',
  schema: () => ({ type: 'integer', minimum: 1, maximum: LIMITS.idMax }),
  wire: 'number',
  operators: ['eq', 'ne', 'in', 'not_in', 'null'],
  sortable: true,
  filterable: true,
  decode: (value) => {
    const id = wholeNumber(value)
    if (id === undefined) return { error: 'must be an integer' }
    // Such an id names nothing, and the sentence for that is the relation's: "The selected priority is invalid".
    return { value: id >= 1 && id <= LIMITS.idMax ? id : 0 }
  },
  // No record has the id 0, so an id beyond all ids finds nothing, as one that is merely unused.
  parse: (text) => {
    if (!/^[+-]?\d{1,1000}$/.test(text.trim())) return { error: 'must be an integer' }
    const id = Number(text)
    return { value: id >= 1 && id <= LIMITS.idMax ? id : 0 }
  },
}

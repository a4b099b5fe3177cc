/** The field types of foreign keys: one for each type that the id of the other record may have. */
import { LIMITS } from '../limits.ts'
import { bigintId } from './bigint.ts'
import type { FieldType } from './field-type.ts'
import { wholeNumber } from './integer.ts'
import { string } from './string.ts'
import { uuid } from './uuid.ts'

const COMMON = {
  description: 'The id of a record of another resource.',
  options: {},
  internal: true,
  operators: ['eq', 'ne', 'in', 'not_in', 'null'],
  sortable: true,
  filterable: true,
} as const satisfies Partial<FieldType>

export const reference: FieldType = {
  ...COMMON,
  name: 'reference',
  column: () => 'integer',
  schema: () => ({ type: 'integer', minimum: 1, maximum: LIMITS.idMax }),
  wire: 'number',
  decode: (value) => {
    const id = wholeNumber(value)
    if (id === undefined) return { code: 'wrong_type', error: 'must be an integer' }
    // Such an id names nothing, and the sentence for that is the relation's: "The selected priority is invalid".
    return { value: id >= 1 && id <= LIMITS.idMax ? id : 0 }
  },
  // No record has the id 0, so an id beyond all ids finds nothing, as one that is merely unused.
  parse: (text) => {
    if (!/^[+-]?\d{1,1000}$/.test(text.trim())) return { code: 'wrong_type', error: 'must be an integer' }
    const id = Number(text)
    return { value: id >= 1 && id <= LIMITS.idMax ? id : 0 }
  },
}

/** The same over another type: what its ids are, its keys are. */
function referenceTo(type: FieldType, more: Partial<FieldType> = {}): FieldType {
  const { column, decode, parse, schema, wire } = type
  return { ...COMMON, name: `reference_${type.name}`, column, decode, parse, schema, wire, ...more }
}

export const bigintReference = referenceTo(bigintId, { input: () => ({ type: ['string', 'integer'] }) })
export const uuidReference = referenceTo(uuid)
export const stringReference = referenceTo(string, { column: () => 'text' })

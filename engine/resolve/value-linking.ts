/** The context in which a value is linked, and the function that links the values inside it. */
import type { Field, Value } from '../catalog/catalog.ts'
import type { Json } from '../json.ts'
import type { Place } from './document-part.ts'
import type { Judging } from './record-operand.ts'
import type { Draft, Resolution } from './resolution.ts'

export interface Linking {
  readonly resolution: Resolution
  readonly draft: Draft
  /** The field that takes the value: one of the record, or a stand-in for a part of a value. */
  readonly field: Field
  readonly judging: Judging
  /** The value is a column of the record: it knows nothing but fields of the record, by their bare names. */
  readonly bare?: true
}

export interface PartLinking extends Linking {
  /** The value is a part of another and goes to no field of the record. */
  readonly part?: true
  /** Links a value of any kind. */
  readonly link: (linking: PartLinking, written: Json, place: Place) => Value | undefined
}

/** Reports what is wrong with a value; gives undefined. */
export function complain({ resolution, field }: Linking, place: Place, message: string, expected?: string): undefined {
  const details = expected === undefined ? {} : { expected: [expected] }
  resolution.report('wrong_value', `"${field.name}" ${message}`, place([]), details)
  return undefined
}

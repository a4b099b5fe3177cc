/** The contexts in which filters and values are linked, and `$record.<path>` and `$before.<path>` in them: refused where they could never fit. */
import type { Field, FieldPath, Value } from '../catalog/catalog.ts'
import type { RecordOperand } from '../filter/filter.ts'
import type { PlacedPath } from '../filter/parse-yaml.ts'
import type { Json } from '../json.ts'
import type { Span } from '../text/source.ts'
import { kindOf, targetOf } from './accounts.ts'
import type { Place } from './document-part.ts'
import { linkPath } from './link-path.ts'
import type { Draft, Resolution } from './resolution.ts'

/** The record with which a filter may compare, besides values: the one that is judged. */
export interface Judging {
  /** The resource of `$record` and `$before`. */
  readonly record: Draft
  /** Whether there can be a `$before`. */
  readonly before: boolean
  /** The sentence for a `$before` that cannot be. */
  readonly reason?: string
  /** Its values are called by their bare names. */
  readonly bare?: true
}

/** What to do where a value that is made at each reading cannot be used. */
const COUNTED = 'it is computed when it is read: take a field that is stored'

const NUMBERS: ReadonlySet<string> = new Set(['smallint', 'integer', 'bigint', 'numeric', 'double precision'])

/** Links another value of the judged record for a comparison with `field` of `holder`; undefined with a complaint where it cannot be. */
export function linkRecordOperand(
  resolution: Resolution,
  holder: Draft,
  field: Field,
  operand: RecordOperand<PlacedPath>,
  judging: Judging | undefined,
  span: Span,
): RecordOperand<FieldPath> | undefined {
  const { kind } = operand
  if (judging === undefined || (kind === 'before' && !judging.before)) {
    const why = judging?.reason ?? `"$${kind}" means something where a write is judged`
    resolution.report('invalid_filter', why, span, {
      hint:
        kind === 'before'
          ? 'it is what is stored before an update: take it into a rule about updates'
          : 'take it into a rule, a policy, or what may be chosen for a relation',
    })
    return undefined
  }
  const path = linkPath(resolution, judging.record, operand.path, span)
  if (path === undefined) return undefined
  const from = resolution.drafts.get(path.relations.at(-1)?.target ?? judging.record.name) ?? judging.record
  const complaint = misfit(resolution, { draft: holder, field }, { draft: from, field: path.field })
  if (complaint === undefined) return { kind, path }
  const name = judging.bare ? `"${operand.path.join('.')}"` : `$${kind}.${operand.path.join('.')}`
  const counted = path.field.count === undefined ? {} : { hint: COUNTED }
  resolution.report('wrong_value', `"${field.name}" ${complaint}, which ${name} is`, span, counted)
  return undefined
}

interface Side {
  readonly draft: Draft
  readonly field: Field
}

/** Why two values cannot be compared: `(integer) is never a text`. */
function misfit(resolution: Resolution, own: Side, other: Side): string | undefined {
  const [mine, theirs] = [own, other].map(({ draft, field }) => targetOf(resolution, draft, field))
  const [kind, otherKind] = [kindOf(own.field), kindOf(other.field)]
  const what = mine ?? own.field.type.name
  const isNever = `(${what}) is never what a value of ${theirs ?? other.field.type.name} is`
  if (own.field.count !== undefined || other.field.count !== undefined)
    return `(${what}) does not go with a value of other records`
  if (own.field.type.hidden === true || other.field.type.hidden === true) return isNever
  if (kind === 'jsonb' || otherKind === 'jsonb') return isNever
  if (mine !== undefined && theirs !== undefined && mine !== theirs) return isNever
  return kind === otherKind || (NUMBERS.has(kind) && NUMBERS.has(otherKind)) ? undefined : isNever
}

export interface Linking {
  readonly resolution: Resolution
  readonly draft: Draft
  /** The field that takes the value: one of the record, or one that is made for a part of a value. */
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

/** Pass: what null becomes, where that is made of other fields of the record: `backfill: { first: [$record.name, unknown] }`. */
import type { Field, Formula } from '../catalog/catalog.ts'
import { sizeOf } from '../catalog/formula.ts'
import type { Document, FieldDefinition } from '../definition/definition.ts'
import { LIMITS } from '../limits.ts'
import { isBackfillFrom } from './fields.ts'
import type { Place } from './link-path.ts'
import { type Draft, type DraftField, eachDraft, type Resolution } from './resolution.ts'
import { formulaOf } from './stored.ts'
import { linkValue } from './values.ts'

/** Types whose values can be made of others. */
const MADE: ReadonlySet<string> = new Set([
  'integer',
  'bigint',
  'decimal',
  'date',
  'timestamp',
  'string',
  'text',
  'enum',
])

function isMade({ type }: Field, formula: Formula): boolean {
  return MADE.has(type.name) || (formula.kind === 'field' && formula.field.type.name === type.name)
}

/** Links the backfills of every table. */
export function backfills(resolution: Resolution): void {
  for (const { written, draft } of eachDraft(resolution)) {
    if (draft.owner !== draft.name) continue
    for (const [name, document] of written.fields) {
      const field = draft.fields.get(name)
      if (field === undefined || field.nullable || !isBackfillFrom(document.value.backfill, field.type)) continue
      linkBackfill(resolution, draft, field, document)
    }
  }
}

function linkBackfill(
  resolution: Resolution,
  draft: Draft,
  field: DraftField,
  { value: { backfill }, place: at }: Document<FieldDefinition>,
): void {
  const place: Place = (path, part) => at(['backfill', ...path], part)
  const complain = (problem: string): void => {
    const hint = 'write a value, or one that is made of fields of the same record'
    resolution.report('wrong_value', `The "backfill" of "${field.name}": ${problem}`, place([]), { hint })
  }
  const linked = linkValue({ resolution, draft, field, judging: { record: draft, before: false } }, backfill!, place)
  if (linked === undefined) return
  const problems: string[] = []
  const formula = formulaOf(linked, field as Field, (problem) => problems.push(problem))
  if (formula !== undefined && !isMade(field, formula)) problems.push(`a ${field.type.name} is made of no other fields`)
  if (formula !== undefined && sizeOf(formula, LIMITS.formulaParts) > LIMITS.formulaParts)
    problems.push(`it has more than ${LIMITS.formulaParts} parts`)
  const [problem] = problems
  if (problem !== undefined) complain(problem)
  else if (formula !== undefined) field.backfillFrom = { formula, shown: JSON.stringify(backfill) }
}

/** Rule: what slugs are made of. */
import type { Field } from '../catalog/catalog.ts'
import { isBroken } from './link-path.ts'
import { type Draft, type Resolution, suggest, type Written } from './resolution.ts'

/** Why a field has no text when a record is written. */
function unfit({ computed, count, stored, type }: Field): string | undefined {
  if (computed !== undefined || count !== undefined || stored !== undefined) return 'is computed after the write'
  if (type.generated !== undefined) return 'is given by the database after the write'
  if (type.hidden === true) return 'is a secret'
  return type.wire === 'json' || type.wire === 'boolean' ? `(${type.name}) is no text` : undefined
}

/** A slug is made from a field of the record that has a text by then. */
export function slugsHaveSources(resolution: Resolution, written: Written, draft: Draft): void {
  for (const field of draft.fields.values()) {
    const from = field.type.name === 'slug' ? field.options.own.from : undefined
    if (typeof from !== 'string' || (!draft.fields.has(from) && isBroken(resolution, draft, from))) continue
    const span = written.fields.get(field.name)?.place(['from']) ?? field.span
    const source = draft.fields.get(from)
    if (source !== undefined) {
      const reason = source === field ? 'is the slug itself' : unfit(source)
      if (reason !== undefined)
        resolution.report('wrong_option', `"${from}" ${reason}, so no slug can be made from it`, span, {
          hint: 'name a field with a text that people write, such as name',
        })
      continue
    }
    const names = [...draft.fields.values()].filter(
      (known) => known.type.operators.includes('contains') && known !== field,
    )
    resolution.report(
      'unknown_field',
      `"${draft.name}" has no field "${from}" to make a slug from`,
      span,
      suggest(
        from,
        names.map((known) => known.name),
      ),
    )
  }
}

/** Pass: how records are reached: lookups, and the routes below other records. */
import type { Field, Nested } from '../catalog/catalog.ts'
import { isBroken } from './link.ts'
import { benches, type Draft, suggest, type Work, type Written } from './resolution.ts'

/** Completes lookup keys and nested routes. */
export function routing(work: Work): void {
  for (const { written, draft } of benches(work)) {
    draft.lookup = lookup(work, written, draft)
    draft.nested = nested(work, written, draft)
  }
}

function lookup(work: Work, written: Written, draft: Draft): readonly Field[] {
  const { value, place } = written.document
  return (value.lookup ?? ['id']).flatMap((name, index): Field[] => {
    const field = draft.fields.get(name)
    const span = place(['lookup', index])
    if (field === undefined) {
      if (!isBroken(work, draft, name))
        work.report('unknown_field', `"${draft.name}" has no field "${name}"`, span, suggest(name, draft.fields.keys()))
      return []
    }
    if (field.unique) return [field]
    const expected = [...draft.fields.values()].filter((known) => known.unique).map((known) => known.name)
    work.report('wrong_lookup', `"${name}" is not unique, so it does not name one record`, span, {
      expected,
      hint: `add "unique: true" to "${name}"`,
    })
    return []
  })
}

function nested(work: Work, written: Written, draft: Draft): readonly Nested[] {
  const { value, place } = written.document
  return Object.entries(value.nested ?? {}).flatMap(([name, route]): Nested[] => {
    const relation = draft.relations.get(name)
    if (relation?.kind === 'belongs_to') return [{ relation, path: route.path ?? draft.path, actions: route.actions }]
    const parents = [...draft.relations.values()]
      .filter((known) => known.kind === 'belongs_to')
      .map((known) => known.name)
    if (relation !== undefined) {
      work.report(
        'wrong_relation',
        `Routes stand below the record that "${draft.name}" belongs to; "${name}" is ${relation.kind}`,
        place(['nested', name], 'key'),
        { expected: parents },
      )
    } else if (!isBroken(work, draft, name)) {
      work.report(
        'unknown_field',
        `"${draft.name}" has no relation "${name}"`,
        place(['nested', name], 'key'),
        suggest(name, parents),
      )
    }
    return []
  })
}

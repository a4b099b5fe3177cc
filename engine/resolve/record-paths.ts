/** Pass: the paths of records, with the fields that name one there and for people, and the routes below other records. */
import type { Field, FieldPath, Nested } from '../catalog/catalog.ts'
import { LIMITS } from '../limits.ts'
import { linkPath, reportUnknown } from './link-path.ts'
import { type Draft, eachDraft, fieldNames, type Resolution, type Written } from './resolution.ts'

/** Completes which fields name a record in a path, and which routes lie below other records. */
export function recordPaths(resolution: Resolution): void {
  for (const { written, draft } of eachDraft(resolution)) {
    draft.lookup = lookup(resolution, written, draft)
    draft.lookup.forEach((field, index) => {
      tellAmbiguity(resolution, written, draft, field, index)
    })
    draft.title = title(resolution, written, draft)
    draft.nested = nested(resolution, written, draft)
  }
}

function lookup(resolution: Resolution, written: Written, draft: Draft): readonly Field[] {
  const { value, place } = written.document
  return (value.lookup ?? ['id']).flatMap((name, index): Field[] => {
    const field = draft.fields.get(name)
    const span = place(['lookup', index])
    if (field === undefined) return reportUnknown(resolution, draft, name, span, draft.fields.keys(), 'field') ?? []
    if (field.type.hidden === true) {
      const message = `"${name}" is a secret, and addresses are kept in logs and histories`
      resolution.report('wrong_lookup', message, span, { hint: 'look up by id, or by a slug' })
      return []
    }
    if (field.unique) return [field]
    const expected = fieldNames(draft, (known) => known.unique)
    resolution.report('wrong_lookup', `"${name}" is not unique, so it does not name one record`, span, {
      expected,
      hint: `add "unique: true" to "${name}"`,
    })
    return []
  })
}

/** Types of a text that can name a record without more. */
const NAMES: ReadonlySet<string> = new Set(['string', 'text', 'email'])

/** Values that a title can have. */
const SHORT: ReadonlySet<string> = new Set(['number', 'string', 'boolean', 'date', 'timestamp'])

/** What names a record for people: as written, or the first text that lists show. */
function title(resolution: Resolution, written: Written, draft: Draft): readonly FieldPath[] {
  const { value, place } = written.document
  if (value.title === undefined) {
    const field = [...draft.fields.values()].find(
      (one) => NAMES.has(one.type.name) && one !== draft.key && (one.show === 'always' || one.show === 'list'),
    )
    return field === undefined ? [] : [{ relations: [], field }]
  }
  const isOne = typeof value.title === 'string'
  return [value.title].flat().flatMap((name, index): FieldPath[] => {
    const span = place(isOne ? ['title'] : ['title', index])
    const path = linkPath(resolution, draft, name.split('.'), span)
    if (path === undefined) return []
    const fault = titleFault(path, name)
    if (fault === undefined) return [path]
    resolution.report('wrong_title', fault.message, span, { hint: fault.hint })
    return []
  })
}

/** Why people are not shown the value at the end of a path as the name of a record. */
function titleFault(
  { field, relations }: FieldPath,
  name: string,
): { readonly message: string; readonly hint: string } | undefined {
  const steps = [...relations.map((relation) => relation.field), field]
  if (steps.some((one) => one.show === 'never' || one.type.hidden === true))
    return { message: `No answer shows "${name}"`, hint: 'name a field that answers show' }
  if (field.relation !== undefined)
    return { message: `"${name}" is a record`, hint: `name a field of it, such as ${name}.name` }
  if (SHORT.has(field.type.wire)) return undefined
  const hint = 'name a short value: a text, a number, a date, an enum'
  return { message: `"${name}" (${field.type.name}) is no short value`, hint }
}

/** Texts as paths hold them, of every form that a value may have. */
const TEXTS = [
  '1',
  '10001',
  '3000000001',
  'abc',
  'ABC-1',
  'a-b',
  '2026-01-31',
  'ada@example.org',
  '#aabbcc',
  '1.5',
].concat('01890a5d-ac96-774b-bcce-b302099a8057')

/** A text that two lookups take names the record of the first: the second is then found by its name alone. */
function tellAmbiguity(resolution: Resolution, written: Written, draft: Draft, field: Field, index: number): void {
  for (const first of draft.lookup.slice(0, index)) {
    const text = TEXTS.find((one) => takes(draft, first, one) && takes(draft, field, one))
    if (text === undefined || isSlugBesideId(draft, first, field)) continue
    const sequence = [first, field].find(({ type }) => type.name === 'sequence')
    const apart =
      sequence === undefined || draft.key.type.name !== 'integer'
        ? ''
        : `, or let the sequence "${sequence.name}" start above ${LIMITS.idMax}`
    resolution.report(
      'ambiguous_lookup',
      `In a path "${text}" could be the ${first.name} or the ${field.name}; it is taken for the ${first.name}`,
      written.document.place(['lookup', index]),
      { hint: `write /${draft.path}/${field.name}:${text} for the ${field.name}${apart}`, severity: 'warning' },
    )
    return
  }
}

/** A slug of nothing but digits is rare, and `slug:2026` finds it; one that is a UUID is rarer. */
function isSlugBesideId(draft: Draft, ...fields: readonly Field[]): boolean {
  return (
    draft.key.type.name !== 'string' && fields.some(({ type }) => type.name === 'slug') && fields.includes(draft.key)
  )
}

function takes(draft: Draft, field: Field, text: string): boolean {
  if (field === draft.key && field.type.name === 'integer') return /^\d+$/.test(text) && Number(text) <= LIMITS.idMax
  if (field.type.name === 'sequence' && Number(text) < Number(field.options.own.start ?? 1)) return false
  return 'value' in field.type.decode(text, field.options)
}

function nested(resolution: Resolution, written: Written, draft: Draft): readonly Nested[] {
  const { value, place } = written.document
  return Object.entries(value.nested ?? {}).flatMap(([name, route]): Nested[] => {
    const relation = draft.relations.get(name)
    if (relation?.kind === 'belongs_to') return [{ relation, path: route.path ?? draft.path, actions: route.actions }]
    const parents = [...draft.relations.values()]
      .filter((known) => known.kind === 'belongs_to')
      .map((known) => known.name)
    if (relation !== undefined) {
      resolution.report(
        'wrong_relation',
        `Routes are below the record that "${draft.name}" belongs to; "${name}" is ${relation.kind}`,
        place(['nested', name], 'key'),
        { expected: parents },
      )
    } else reportUnknown(resolution, draft, name, place(['nested', name], 'key'), parents, 'relation')
    return []
  })
}

/** Pass: moves, linked: which value of a field may follow which, and for whom. */
import type { Field, Move, Moves } from '../catalog/catalog.ts'
import type { Document, MoveDefinition, MovesDefinition } from '../definition/definition.ts'
import { accessOf, declarePermissions } from './access.ts'
import { entries, inside } from './document-part.ts'
import { fieldOf, reportUnknown } from './link-path.ts'
import { type Draft, eachDraft, fieldNames, type Resolution, suggest } from './resolution.ts'

/** Links the moves of every resource; a resource that uses another's table has the owner's too. */
export function moves(resolution: Resolution): void {
  for (const { written, draft } of eachDraft(resolution)) {
    const { document } = written
    draft.moves = entries(document, ['moves'], document.value.moves).flatMap(
      ([name, moved]) => movesOf(resolution, draft, name, moved) ?? [],
    )
    if (document.value.show_moves === true && draft.moves.length === 0 && draft.owner === draft.name)
      resolution.report('wrong_rule', `"${draft.name}" has no moves to show`, document.place(['show_moves'], 'key'), {
        hint: 'add "moves", or take "show_moves" away',
      })
  }
  for (const { draft } of eachDraft(resolution)) {
    const owner = resolution.drafts.get(draft.owner)
    if (owner === undefined || owner === draft) continue
    const own = new Set(draft.moves.map(({ field }) => field.column))
    draft.moves = [...draft.moves, ...owner.moves.filter(({ field }) => !own.has(field.column))]
  }
}

function movesOf(
  resolution: Resolution,
  draft: Draft,
  name: string,
  document: Document<MovesDefinition>,
): Moves | undefined {
  const { value, place } = document
  const field = fieldOf(resolution, draft, name)
  if (field === undefined) return reportUnknown(resolution, draft, name, place([], 'key'))
  const word = wordOf(resolution, draft, name, field, document)
  if (word === undefined) return undefined
  const words = word.options.own.values
  const known = Array.isArray(words) ? words.map(String) : undefined
  const allow = value.allow.map((move, index) =>
    moveOf(resolution, draft, inside(document, ['allow', index], move), known),
  )
  const relation = draft.relations.get(field.relation ?? '')
  const path = relation?.kind === 'belongs_to' ? { relations: [relation], field: word } : { relations: [], field }
  const { says } = value
  return {
    name,
    field,
    path,
    words: known,
    allow,
    says,
    shown: resolution.written.get(draft.name)?.document.value.show_moves === true,
    span: place([], 'key'),
  }
}

/** The field whose words the moves speak of: the field itself, or one of the record that a relation leads to. */
function wordOf(
  resolution: Resolution,
  draft: Draft,
  name: string,
  field: Field,
  { value, place }: Document<MovesDefinition>,
): Field | undefined {
  const target = resolution.drafts.get(draft.relations.get(field.relation ?? '')?.target ?? '')
  if (target === undefined) {
    if (value.by !== undefined) {
      const hint = 'take "by" away: it is for relations'
      resolution.report('wrong_rule', `"${name}" leads to no other record`, place(['by']), { hint })
    }
    if (field.type.name === 'enum') return field
    const hint = 'moves are for an enum, or for a relation with "by"'
    resolution.report(
      'wrong_rule',
      `"${name}" (${field.type.name}) has no words that moves could speak of`,
      place([], 'key'),
      { hint },
    )
    return undefined
  }
  if (value.by === undefined) {
    const [word = 'slug'] = fieldNames(target, ({ type }) => type.name === 'enum')
    const hint = `add by: ${word}, a field of "${target.name}"`
    resolution.report(
      'wrong_rule',
      `"${name}" leads to another record: which of its words do the moves speak of?`,
      place([], 'key'),
      { hint },
    )
    return undefined
  }
  const word = target.fields.get(value.by)
  if (word !== undefined && WORDED.has(word.type.name)) return word
  const known = fieldNames(target, ({ type }) => WORDED.has(type.name))
  if (word === undefined) return reportUnknown(resolution, target, value.by, place(['by']), known, 'field')
  const message = `"${value.by}" (${word.type.name}) has no words that moves could speak of`
  resolution.report('unknown_field', message, place(['by']), suggest(value.by, known))
  return undefined
}

const WORDED: ReadonlySet<string> = new Set(['enum', 'slug', 'string'])

function moveOf(
  resolution: Resolution,
  draft: Draft,
  { value, place }: Document<MoveDefinition>,
  known: readonly string[] | undefined,
): Move {
  const access = accessOf(value)
  declarePermissions(resolution, access, draft.name)
  const side = (key: 'from' | 'to'): ReadonlySet<string> | undefined => {
    const written = value[key]
    if (written === 'any') return undefined
    const list = typeof written === 'string' ? [written] : written
    for (const [index, word] of list.entries()) {
      if (known === undefined || known.includes(word)) continue
      const span = place(typeof written === 'string' ? [key] : [key, index])
      resolution.report(
        'unknown_word',
        `"${word}" is none of the words that moves speak of here`,
        span,
        suggest(word, ['any', ...known]),
      )
    }
    return new Set(list)
  }
  return { access, from: side('from'), to: side('to'), span: place([]) }
}

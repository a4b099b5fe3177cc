/** Pass: what the database could not index, sort or find, and names that somebody else has. */
import type { Field } from '../catalog/catalog.ts'
import { renameOf } from './document-part.ts'
import { isOfOwnValues } from './filter-dependencies.ts'
import { INDEXED_CHARACTERS, INDEXED_FIELDS } from './indexes.ts'
import { type Draft, eachDraft, type Resolution, type Written } from './resolution.ts'

/** Judges indexes, lookups, orders and names of every resource. */
export function tableMistakes(resolution: Resolution): void {
  const earlier = new Map<string, string>()
  for (const { written, draft } of eachDraft(resolution)) {
    indexesHold(resolution, written, draft)
    livingAreFixed(resolution, written, draft)
    ordersOnce(resolution, written)
    existingStays(resolution, written, draft)
    probesAreReached(resolution, written, draft)
    if (draft.owner === draft.name) renamedOnce(resolution, written, draft, earlier)
  }
  limitsAreOrdered(resolution)
}

/** Declared indexes hold the fields that they name, by conditions that the database knows when it builds them. */
function indexesHold(resolution: Resolution, { document }: Written, draft: Draft): void {
  const { place, value } = document
  for (const [position, definition] of (value.indexes ?? []).entries()) {
    const options = 'fields' in definition ? definition : { fields: definition }
    const at = 'fields' in definition ? ['indexes', position, 'fields'] : ['indexes', position]
    if (draft.existing && 'unique' in options && options.unique !== true) {
      const hint = 'take it away, and make it where the table comes from'
      resolution.report(
        'wrong_option',
        'The table is there already and never changed, so no index is made',
        place(at),
        { hint },
      )
    }
    if (options.fields.length > INDEXED_FIELDS) {
      const message = `An index has at most ${INDEXED_FIELDS} fields, and this one ${options.fields.length}`
      resolution.report('wrong_value', message, place(at), { hint: 'name the fields that tell records apart best' })
    }
    for (const [column, name] of options.fields.entries()) {
      const field = draft.fields.get(name)
      if (field === undefined || !isLong(field)) continue
      const message = `"${name}" (${field.type.name}) may be too long for an index`
      resolution.report('wrong_value', message, place([...at, column]), {
        hint: `let it have at most ${INDEXED_CHARACTERS} characters, or use search, which has an index of its own`,
      })
    }
  }
}

function isLong({ options, type }: Field): boolean {
  if (type.wire === 'json') return true
  const most = type.name === 'text' ? Number(options.own.max ?? Number.POSITIVE_INFINITY) : 0
  return Math.max(most, type.name === 'string' ? (type.longest?.(options) ?? 0) : 0) > INDEXED_CHARACTERS
}

/** Indexes are of the living alone, so what lives is told by the record itself. */
function livingAreFixed(resolution: Resolution, { document }: Written, draft: Draft): void {
  if (document.value.live === undefined || draft.live === undefined || isOfOwnValues(draft.live)) return
  if (draft.owner !== draft.name) return
  resolution.report('invalid_filter', '"live" is of fixed values of the record itself', document.place(['live']), {
    hint: 'compare own fields that are stored with values that are written out, as { deleted_at: null }',
  })
}

function ordersOnce(resolution: Resolution, { document }: Written): void {
  const order = document.value.sort?.default
  if (order === undefined || typeof order === 'string') return
  const names = order.map((term) => term.replace(/^-/, ''))
  for (const [index, name] of names.entries()) {
    if (names.indexOf(name) === index) continue
    resolution.report('name_clash', `The order goes by "${name}" twice`, document.place(['sort', 'default', index]), {
      hint: 'leave one of the two out: the first decides',
    })
  }
}

/** Rows of a table that is never changed keep what they have. */
function existingStays(resolution: Resolution, written: Written, draft: Draft): void {
  if (!draft.existing || draft.owner !== draft.name) return
  for (const [name, { place, value }] of [...written.fields, ...written.relations]) {
    if (value.backfill === undefined) continue
    const message = `The table of "${draft.name}" is there already and never changed, so "backfill" of "${name}" does nothing`
    resolution.report('wrong_option', message, place(['backfill'], 'key'), { hint: 'take "backfill" away' })
  }
}

/** What operators ask outside of every prefix. */
const PROBES: ReadonlySet<string> = new Set(['livez', 'readyz', 'metrics'])

function probesAreReached(resolution: Resolution, { document }: Written, draft: Draft): void {
  const prefix = resolution.definition.app.value.prefix ?? ''
  if (prefix.replaceAll('/', '') !== '' || !PROBES.has(draft.path) || draft.actions.size === 0) return
  const span = document.place([document.value.path === undefined ? 'resource' : 'path'])
  resolution.report('duplicate_path', `"/${draft.path}" is what operators ask of the program itself`, span, {
    hint: 'choose another "path", or write a "prefix" in app.yaml',
  })
}

/** One earlier name was that of one thing. */
function renamedOnce(resolution: Resolution, written: Written, draft: Draft, earlier: Map<string, string>): void {
  const own = new Map<string, string>()
  const parts = [...written.fields, ...written.relations]
  const report = (name: string, other: string, place: Written['document']['place']): void =>
    resolution.report('name_clash', `"${name}" is the earlier name of "${other}" already`, place(['renamed_from']), {
      hint: 'give each the name that it had itself',
    })
  for (const [name, { place, value }] of parts) {
    const before = renameOf(value.renamed_from)?.name
    if (before === undefined) continue
    const other = own.get(before)
    if (other === undefined) own.set(before, name)
    else report(before, other, place)
  }
  if (draft.renamedFrom === undefined) return
  const other = earlier.get(draft.renamedFrom)
  if (other === undefined) earlier.set(draft.renamedFrom, draft.name)
  else report(draft.renamedFrom, other, written.document.place)
}

/** Limits of which the first is never above the second. */
const ORDERED_LIMITS = [
  ['includedDefault', 'includedMost'],
  ['streamsPerCaller', 'streams'],
  ['changeKeepMs', 'changeKeepFailedMs'],
] as const

function limitsAreOrdered(resolution: Resolution): void {
  const { place, value } = resolution.definition.app
  for (const [less, more] of ORDERED_LIMITS) {
    const [least, most] = [value.limits?.[less], value.limits?.[more]]
    if (least === undefined || most === undefined || least <= most) continue
    resolution.report('wrong_limit', `"${less}" (${least}) is above "${more}" (${most})`, place(['limits', less]), {
      hint: `lower ${less}, or raise ${more}`,
    })
  }
}

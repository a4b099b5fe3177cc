/** The order of forms and of the screen of a record, judged by what the resource has. */
import type { Screens } from '../catalog/catalog.ts'
import type { Document } from '../definition/definition.ts'
import type { BlockDefinition } from '../definition/screen-schema.ts'
import type { Span } from '../text/source.ts'
import { inside, under } from './document-part.ts'
import { reportUnknown } from './link-path.ts'
import { type Draft, type Resolution, suggestResource, type Written } from './resolution.ts'
import { childAt, judgeWhen } from './screen-paths.ts'

/** The layout as written; undefined where there is none. */
export function layoutOf(resolution: Resolution, { document }: Written, draft: Draft): Screens['layout'] {
  const { layout } = document.value
  if (layout === undefined) return undefined
  for (const [index, part] of (layout.form ?? []).entries()) {
    const at = ['layout', 'form', index]
    if (typeof part === 'string') judgeName(resolution, draft, part, document.place(at))
    else for (const [place, name] of part.entries()) judgeName(resolution, draft, name, document.place([...at, place]))
  }
  for (const [column, blocks] of Object.entries(layout.record ?? {}))
    for (const [index, block] of blocks.entries())
      judgeBlock(resolution, draft, inside(document, ['layout', 'record', column, index], block))
  return JSON.parse(JSON.stringify(layout)) as Screens['layout']
}

/** A field, a relation, the last part of a path below a record, of a resource or by a key of a plugin, or a block of a plugin. */
function judgeName(resolution: Resolution, draft: Draft, name: string, span: Span, isBlock = false): void {
  const added = isBlock ? [...(resolution.extensions.additions?.values() ?? [])].flatMap(({ blocks }) => blocks) : []
  const isOwn = draft.fields.has(name) || draft.relations.has(name) || Object.hasOwn(draft.keys, name)
  if (isOwn || added.includes(name)) return
  const below = [...resolution.drafts.values()].flatMap(({ nested }) =>
    nested.flatMap(({ path, relation }) => (relation.target === draft.name ? [path] : [])),
  )
  if (below.includes(name)) return
  const known = [...draft.fields.keys(), ...draft.relations.keys(), ...below, ...Object.keys(draft.keys), ...added]
  reportUnknown(resolution, draft, name, span, new Set(known))
}

function judgeBlock(resolution: Resolution, draft: Draft, { place, value }: Document<BlockDefinition>): void {
  if (typeof value === 'string') {
    judgeName(resolution, draft, value, place([]), true)
    return
  }
  if (isNames(value)) {
    for (const [index, name] of value.entries()) judgeName(resolution, draft, name, place([index]))
    return
  }
  const { fields, list, texts, thread, when, write } = value
  judgeWhen(resolution, draft, when, under(place, 'when'))
  const kinds = [fields, thread, list].filter((one) => one !== undefined).length
  if (kinds !== 1 || (write !== undefined && thread === undefined))
    resolution.report('wrong_screen', 'A block has one of fields, thread and list', place([]), {
      expected: ['fields', 'thread', 'list'],
      hint: kinds === 1 ? '"write" goes with thread' : 'write one of them',
    })
  if (texts !== undefined) judgeTexts(resolution, texts, write !== undefined, place(['texts']))
  for (const [index, name] of (fields ?? []).entries()) judgeName(resolution, draft, name, place(['fields', index]))
  for (const [index, name] of (thread ?? []).entries()) judgeMany(resolution, draft, name, place(['thread', index]))
  if (list !== undefined) judgeMany(resolution, draft, list, place(['list']))
  for (const [path, names] of Object.entries(write ?? {})) {
    const child = childAt(resolution, draft, path, place(['write', path], 'key'))
    if (child === undefined) continue
    for (const [index, name] of names.entries())
      if (!child.fields.has(name)) reportUnknown(resolution, child, name, place(['write', path, index]))
  }
}

/** A resource with texts that can be listed. */
function judgeTexts(resolution: Resolution, name: string, isWritten: boolean, span: Span): void {
  const target = resolution.drafts.get(name)
  const says = (message: string, hint: string) => resolution.report('wrong_screen', message, span, { hint })
  if (target === undefined) {
    if (!resolution.unusable.has(name))
      resolution.report('unknown_resource', `Unknown resource "${name}"`, span, suggestResource(resolution, name))
  } else if (![...target.fields.values()].some(({ show, type }) => type.name === 'text' && show !== 'never'))
    says(`"${name}" has no text to put in`, 'name a resource with a field of the type text')
  else if (!target.actions.has('list')) says(`"${name}" has no list`, 'texts are found in it')
  else if (!isWritten) says('Nothing is written here', '"texts" goes with "write"')
}

/** A relation to many records that answers have. */
export function judgeMany(resolution: Resolution, draft: Draft, name: string, span: Span): void {
  const relation = draft.relations.get(name)
  const known = [...draft.relations.values()].filter(({ embed, kind }) => kind !== 'belongs_to' && embed !== undefined)
  if (relation === undefined)
    reportUnknown(
      resolution,
      draft,
      name,
      span,
      known.map((one) => one.name),
      'relation',
    )
  else if (!known.includes(relation))
    resolution.report('wrong_screen', `Answers have no list "${name}"`, span, {
      hint:
        relation.kind === 'belongs_to'
          ? 'name a relation to many records'
          : `add "embed" to "${name}": its fields that are shown`,
    })
}

function isNames(block: BlockDefinition): block is readonly string[] {
  return Array.isArray(block)
}

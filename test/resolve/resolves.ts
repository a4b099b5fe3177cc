/** YAML in, a catalog or rendered complaints out: one place that calls the stages, so that the cases are data. */
import * as assert from 'uvu/assert'
import { catalogOf } from '../../engine/boot/boot.ts'
import type { Catalog, EmbedEntry, FieldPath, Index, Relation, Resource } from '../../engine/catalog/catalog.ts'
import { parseDocument } from '../../engine/definition/parse.ts'
import { definePlugin } from '../../engine/index.ts'
import { compose } from '../../engine/plugin/compose.ts'
import { filterKey } from '../../engine/resolve/indexes.ts'
import type { Collected } from '../../engine/text/diagnostic.ts'
import { renderDiagnostics } from '../../engine/text/render.ts'
import softDelete from '../../plugins/soft_delete/index.ts'
import timestamps from '../../plugins/timestamps/index.ts'
import { unwritten } from '../support/options.ts'

/** A plugin with one of each thing that a resource file can name. */
export const DESK = definePlugin({
  name: 'desk',
  description: 'What the samples name.',
  specials: {
    queue: {
      description: 'The state of a ticket.',
      values: { un_assigned: { assignedTo: null }, open: { 'status.slug': ['open', 'pending'] } },
    },
  },
  hooks: { stamp: async (_context, next) => next() },
  actions: {
    ring: {
      description: 'Rings a bell.',
      key: 'ring',
      takes: { type: 'object', properties: { times: { type: 'integer' } }, additionalProperties: false },
      check: ({ times }, { resource, trigger }) =>
        times === 13
          ? [{ at: ['times'], message: `No 13 for "${resource.name}" by a ${trigger}`, hint: 'take 12' }]
          : [],
      run: async () => undefined,
    },
  },
  permissions: { 'tickets.view': 'See all tickets.' },
  accounts: { resource: 'users', role: { relation: 'role', name: 'slug', permissions: 'permissions' } },
})

/** Resolves files, each `name: text`; the resource key is added where the text has none. */
export function resolveFiles(files: Readonly<Record<string, string>>, app = 'name: Test'): Collected<Catalog> {
  const composed = compose([DESK, softDelete, timestamps], unwritten({ desk: {}, soft_delete: {}, timestamps: {} }))
  assert.equal(composed.diagnostics, [])
  const sources = Object.entries(files).map(([name, text]) => ({
    file: `${name}.yaml`,
    text: /^resource:/m.test(text) ? text : `resource: ${name}\n${text}`,
  }))
  return catalogOf(parseDocument({ file: 'app.yaml', text: app }).value, sources, composed.value)
}

/** The catalog of files without a mistake. */
export function resolved(files: Readonly<Record<string, string>>): Catalog {
  const { value, diagnostics } = resolveFiles(files)
  const errors = diagnostics.filter((diagnostic) => diagnostic.severity !== 'warning')
  assert.is(renderDiagnostics(errors), '')
  assert.ok(value)
  return value
}

export function resourceOf(files: Readonly<Record<string, string>>, name: string): Resource {
  const resource = resolved(files).resources.get(name)
  assert.ok(resource, `the resource ${name}`)
  return resource
}

/** What people read about the mistakes in files; warnings only where a case is about them. */
export function complaints(files: Readonly<Record<string, string>>, severity: 'error' | 'warning' = 'error'): string {
  const { diagnostics } = resolveFiles(files)
  return renderDiagnostics(diagnostics.filter((diagnostic) => (diagnostic.severity ?? 'error') === severity))
}

/** A case of `mistakes`: the complaint's line, the text under the caret, and its sentence. */
export function mistakes(
  files: Readonly<Record<string, string>>,
  severity: 'error' | 'warning' = 'error',
  app = '',
): readonly string[] {
  const { diagnostics } = resolveFiles(files, `name: Test\n${app}`)
  return diagnostics
    .filter((diagnostic) => (diagnostic.severity ?? 'error') === severity)
    .map(({ code, message, span, hint }) => {
      const marked = span?.source.text.slice(span.start, span.end).split('\n')[0]
      return `${span?.source.file} [${marked}] ${code}: ${message}${hint === undefined ? '' : ` (${hint})`}`
    })
}

/** Everything a resource became, one line a thing. */
export function summary(resource: Resource): string {
  const lines = [
    `${resource.name} "${resource.label}" /${resource.path} on ${resource.table}`,
    ...[...resource.fields.values()].map(
      (field) =>
        `  field ${field.name} ${field.type.name}${field.required ? ' required' : ''}${field.nullable ? '' : ' not null'}${field.readOnly ? ' read-only' : ''}${field.show === 'always' ? '' : ` ${field.show}`}`,
    ),
    ...[...resource.relations.values()].map((relation) => `  ${relationLine(relation)}`),
    `  filters ${[...resource.filters].map(([name, path]) => (name === pathText(path) ? name : `${name}=${pathText(path)}`)).join(' ')}`,
    `  sort ${[...resource.sort.keys.keys()].join(' ')}; default ${resource.sort.default.map(({ path, direction }) => (direction === 'desc' ? '-' : '') + pathText(path)).join(' ')}`,
    `  search ${resource.search.map(pathText).join(' ')}`,
    `  actions ${[...resource.actions].join(' ')}`,
    ...resource.indexes.map((index) => `  ${indexLine(index)}`),
  ]
  return `${lines.map((line) => line.trimEnd()).join('\n')}\n`
}

export function indexLine(index: Index): string {
  const where = index.where === undefined ? '' : ` where ${filterKey(index.where)}`
  const unique = index.kind === 'looks' ? 'unique by looks' : 'unique'
  const kind = index.kind === 'trigram' ? 'trigram' : index.unique ? unique : 'index'
  return `${kind} (${index.fields.map((field) => field.column).join(', ')})${where}`
}

function relationLine(relation: Relation): string {
  const embed = relation.embed === undefined ? 'none' : embedText(relation.embed)
  const way = relation.kind === 'has_many' ? ` by ${relation.by.map((step) => step.field.name).join(' ')}` : ''
  return `${relation.kind} ${relation.name} → ${relation.target}${way} {${embed}}`
}

export function embedText(entries: readonly EmbedEntry[]): string {
  return entries
    .map(({ name, value }) => {
      if (value.kind === 'embed') return `${name}{${embedText(value.entries)}}`
      return name === pathText(value.path) ? name : `${name}=${pathText(value.path)}`
    })
    .join(' ')
}

export function pathText(path: FieldPath): string {
  return [...path.relations.map((relation) => relation.name), path.field.name].join('.')
}

/** Policies that name nobody, for resources whose policies are not what is looked at. */
export const VIEW = 'policies: { view: [], create: [], update: [], delete: [], restore: [] }'
const STATUSES = `fields: { name: { type: string }, slug: { type: slug, from: name } }\n${VIEW}`

/** The complaints about one resource `things`, beside a resource `statuses`. */
export function saysOfThings(
  text: string,
  expected: readonly string[],
  others: Readonly<Record<string, string>> = {},
): void {
  assert.equal(mistakes({ things: `${text}\n${VIEW}`, statuses: STATUSES, ...others }), expected)
}

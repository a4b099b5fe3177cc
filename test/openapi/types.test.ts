/** The types that are printed from the catalog compile as the project's own code does, and mean what the interface does. */
import { readFileSync } from 'node:fs'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { readCatalog } from '../../engine/boot/boot.ts'
import { typescript, typesOfRecords } from '../../engine/openapi/types.ts'
import { renderDiagnostics } from '../../engine/text/render.ts'
import { atOnce } from '../../engine/turns.ts'
import { compile } from '../support/compile.ts'
import { writeFiles } from '../support/large.ts'

const test = suite('types')

async function typesOf(resourcesDir: string): Promise<string> {
  const { value } = await readCatalog({ resourcesDir, pluginsDir: 'plugins' })
  return typescript({ catalog: value!.catalog, hooks: value!.composition.hooks })
}

const USE = `import type { Ticket, TicketCreate, TicketListItem, TicketUpdate } from './desk.ts'
export const made: TicketCreate = { subject: 'Printer', details: 'No paper', tags: ['office'], assigned_to: null }
export const change: TicketUpdate = { status_id: 2 }
export const words = (ticket: Ticket): readonly string[] => ticket.comments.map((comment) => comment.comment)
export const who = (ticket: TicketListItem): string => ticket.assignedTo?.name ?? ticket.status.name
`

test('the types of the desk and of the library compile, and can be used', async () => {
  const [desk, library] = [await typesOf('resources'), await typesOf('test/library/resources')]
  assert.is(compile({ 'desk.ts': desk, 'library.ts': library, 'use.ts': USE }), '')
})

test('what the interface refuses, the types refuse', async () => {
  const wrong = `import type { TicketCreate, TicketListItem } from './desk.ts'
export const made: TicketCreate = { subject: 'Printer' }
export const comments = (ticket: TicketListItem): unknown => ticket.comments
export const nothing: TicketCreate = { subject: null, details: '' }
`
  const said = compile({ 'desk.ts': await typesOf('resources'), 'use.ts': USE, 'wrong.ts': wrong })
  const places = [...said.matchAll(/wrong\.ts\((\d+),/g)].map((match) => match[1])
  assert.equal(places, ['2', '3', '4'])
})

/** What the package says of records, by itself. */
const PLINTH = [
  ...readFileSync('engine/json.ts', 'utf8').match(
    /^export (?:type Json |interface JsonObject )[^}]*?(?:\n\n|\n\}\n)/gm,
  )!,
  readFileSync('engine/run/resource-types.ts', 'utf8').replace(/^import .*$/m, ''),
].join('\n')

test('JsonObject takes the records of every resource, whatever their fields, and a plugin reads them as RecordOf', async () => {
  const fields = `fields:
  title: { type: string, required: true }
  notes: { type: text, read: { role: clerk } }
  loose: { type: json }
  shaped: { type: json, schema: { type: object, properties: { size: { type: number }, rest: {}, list: { type: array } } } }
  open: { type: json, schema: { type: object }, nullable: false, default: {} }
  words: { type: list, of: string }
  kind: { type: enum, values: [a, b] }
  price: { type: decimal }
relations: { parent: { belongs_to: things, embed: [id, loose] }, parts: { has_many: things, by: parent, embed: [id, open] } }
policies: { view: [{ who: anyone }], create: [{ who: anyone }], update: [{ who: anyone }] }
`
  const { folder, remove } = await writeFiles({
    'app.yaml': 'name: Things\nprefix: /api\nplugins: {}\n',
    'things.yaml': `resource: things\n${fields}`,
    'json.yaml':
      'resource: json\nfields: { name: { type: string } }\npolicies: { view: [{ who: anyone }] }\nactions: [list]\n',
  })
  const all: string[][] = []
  for (const resourcesDir of [folder, 'resources', 'test/library/resources']) {
    const { diagnostics, value } = await readCatalog({ resourcesDir, pluginsDir: 'plugins' })
    assert.ok(value, renderDiagnostics(diagnostics))
    const { catalog, composition } = value
    const names = [...catalog.resources.keys()].map((name) => JSON.stringify(name))
    const written = atOnce(typesOfRecords({ catalog, hooks: composition.hooks }))
    const use = `import type { JsonObject, RecordOf } from 'plinth'
import './types.ts'
${names.map((name, at) => `export const of${at} = (one: RecordOf<${name}>): JsonObject => one`).join('\n')}
`
    const wrong = `import type { RecordOf } from 'plinth'\nexport const wrong = (one: RecordOf<${names[0]}>): unknown => one.titel\n`
    const files = { 'types.ts': written, 'use.ts': use, 'plinth.ts': PLINTH, 'wrong.ts': wrong }
    const said = compile(files, { paths: { plinth: ['./plinth.ts'] } })
    all.push(said.split('\n').flatMap((line) => /^(\S+\.ts)\((\d+),/.exec(line)?.slice(1) ?? []))
  }
  await remove()
  assert.equal(all, Array(3).fill(['wrong.ts', '2']))
})

test.run()

/** The types that are printed from the catalog compile as the project's own code does, and mean what the interface does. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { readCatalog } from '../../engine/boot/boot.ts'
import { typescript } from '../../engine/openapi/types.ts'
import { compile } from '../support/compile.ts'

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

test.run()

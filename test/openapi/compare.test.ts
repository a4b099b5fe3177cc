/** What a change of the YAML means for clients: what breaks those that were written before, and what does not. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { readCatalog } from '../../engine/boot/boot.ts'
import { changesAsText } from '../../engine/cli/diff.ts'
import type { JsonSchema } from '../../engine/json.ts'
import { contractOf } from '../../engine/openapi/compare/contract.ts'
import { compareDocuments } from '../../engine/openapi/compare/documents.ts'
import type { OpenApiDocument } from '../../engine/openapi/openapi-document.ts'
import { describeApplication } from '../../engine/openapi/routes.ts'
import { renderDiagnostics } from '../../engine/text/render.ts'
import { plinth } from '../cli/world.ts'

const BOOKS = `resource: books
batch: false
filters: [title, pages]
fields:
  title: { type: string, required: true, max: 100 }
  pages: { type: integer, min: 1 }
  state: { type: enum, values: [new, used] }
policies: { view: [{ who: anyone }], create: [{ who: signed_in }], update: [], delete: [] }
actions: [list, get, create]
`

let folder: string
const test = suite('changes for clients')

test.before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'plinth-diff-'))
  await writeFile(join(folder, 'app.yaml'), 'name: Books\nprefix: /api\nplugins: { timestamps: {} }\n')
})
test.after(() => rm(folder, { recursive: true, force: true }))

async function documentOf(books: string): Promise<OpenApiDocument> {
  await writeFile(join(folder, 'books.yaml'), books)
  const { value, diagnostics } = await readCatalog({ resourcesDir: folder, pluginsDir: 'plugins' })
  if (value === undefined) throw new Error(renderDiagnostics(diagnostics))
  return describeApplication(value.catalog, value.routes, value.composition)
}

/** The changes as lines, `!` before those that break clients; the contracts of both documents tell the same. */
async function changes(from: string, to: string, edited = BOOKS.replace(from, to)): Promise<readonly string[]> {
  assert.ok(BOOKS.includes(from), from)
  const [older, newer] = [await documentOf(BOOKS), await documentOf(edited)]
  const told = compareDocuments(older, newer)
  assert.equal(compareDocuments(contractOf(older), contractOf(newer)), told)
  return told.map(({ breaking, where, what }) => `${breaking ? '!' : ' '} ${where}: ${what}`)
}

test('nothing changes between equal documents', async () => {
  assert.equal(await changes('min: 1', 'min: 1'), [])
})

test('a new field is taken and answered, and breaks nobody', async () => {
  assert.equal(await changes('  state:', '  isbn: { type: string }\n  state:'), [
    '  GET /api/books: an item of the parameter "sort" may be "isbn", "-isbn" now',
    '  BookListItem: has "isbn", which is new',
    '  BookCreate: takes "isbn", which is new',
    '  Book: has "isbn", which is new',
  ])
})

test('a new field that is required breaks those who create', async () => {
  const found = await changes('  state:', '  isbn: { type: string, required: true }\n  state:')
  assert.ok(found.includes('! BookCreate: requires "isbn", which is new'), found.join('\n'))
})

test('a field that goes breaks those who send it, read it and filter by it', async () => {
  const found = await changes('  state: { type: enum, values: [new, used] }\n', '')
  for (const line of [
    '! GET /api/books: the parameter "state" is gone',
    '! BookListItem: has no "state" any more',
    '! BookCreate: does not take "state" any more',
  ])
    assert.ok(found.includes(line), `${line}\n\n${found.join('\n')}`)
})

test('tighter limits break, looser ones do not', async () => {
  assert.ok((await changes('max: 100', 'max: 50')).includes('! BookCreate: "title" has maxLength 50 instead of 100'))
  assert.equal(await changes('max: 100', 'max: 200'), ['  BookCreate: "title" has maxLength 200 instead of 100'])
})

test('another type breaks in both directions', async () => {
  const found = await changes('{ type: integer, min: 1 }', '{ type: string }')
  assert.ok(
    found.includes('! BookListItem: "pages" is no integer any more') ||
      found.includes('! BookListItem: "pages" may be string now'),
    found.join('\n'),
  )
  assert.ok(
    found.some((line) => line.startsWith('! BookCreate: "pages"')),
    found.join('\n'),
  )
})

test('a new word of an enum breaks readers, a lost one breaks writers', async () => {
  const more = await changes('[new, used]', '[new, used, old]')
  assert.ok(more.includes('! BookListItem: "state" may be "old" now'), more.join('\n'))
  assert.ok(more.includes('  BookCreate: "state" may be "old" now'), more.join('\n'))
  const less = await changes('[new, used]', '[new]')
  assert.ok(less.includes('! BookCreate: "state" is not "used" any more'), less.join('\n'))
  assert.ok(less.includes('  BookListItem: "state" is not "used" any more'), less.join('\n'))
})

test('an action that goes, one that comes, and one that needs a token now', async () => {
  assert.equal(await changes('[list, get, create]', '[list, get]'), ['! POST /api/books: is gone'])
  assert.equal(
    (await changes('[list, get, create]', '[list, get, create, update]')).filter((line) => line.startsWith('!')),
    [],
  )
  const closed = await changes('view: [{ who: anyone }]', 'view: [{ who: signed_in }]')
  assert.equal(closed, [
    '! GET /api/books: needs a token now',
    '! POST /api/books/query: needs a token now',
    '! GET /api/books/{id}: needs a token now',
  ])
})

/** Documents of one operation whose answer, or body, is of this schema. */
function documentWith(schema: JsonSchema, side: 'answered' | 'sent'): OpenApiDocument {
  const content = { 'application/json': { schema } }
  const operation = side === 'sent' ? { requestBody: { content } } : { responses: { 200: { content } } }
  return { openapi: '3.1.0', paths: { '/things': { post: operation } }, components: { schemas: SHAPES } } as never
}

const object = (properties: Record<string, JsonSchema>): JsonSchema => ({ type: 'object', properties })
const SHAPES = {
  Thing: object({ id: { type: 'integer' }, name: { type: 'string' } }),
  Later: object({ id: { type: 'integer' }, name: { type: 'string' }, note: { type: 'string' } }),
  Bare: object({ key: { type: 'string' } }),
}
const ref = (name: keyof typeof SHAPES): JsonSchema => ({ $ref: `#/components/schemas/${name}` })

function choiceChanges(side: 'answered' | 'sent', older: JsonSchema, newer: JsonSchema): readonly string[] {
  const told = compareDocuments(documentWith(older, side), documentWith(newer, side))
  return told.map(({ breaking, where, what }) => `${breaking ? '!' : ' '} ${where}: ${what}`)
}

test('a form that joins an only one is one change, and the form that was there is compared as it is', async () => {
  const both = { anyOf: [ref('Thing'), ref('Bare')] }
  assert.equal(choiceChanges('answered', ref('Thing'), both), ['! POST /things: the answer has one form more'])
  assert.equal(choiceChanges('sent', ref('Thing'), both), ['  POST /things: the body has one form more'])
  assert.equal(choiceChanges('answered', both, ref('Thing')), ['  POST /things: the answer has one form less'])
  assert.equal(choiceChanges('sent', both, ref('Thing')), ['! POST /things: the body has one form less'])
})

test('each form of a choice is compared with the later one that is most like it', async () => {
  const before = { anyOf: [ref('Bare'), ref('Thing')] }
  assert.equal(choiceChanges('answered', before, { anyOf: [ref('Later'), ref('Bare')] }), [
    '  Later: has "note", which is new',
  ])
  assert.equal(choiceChanges('answered', before, { oneOf: [ref('Bare'), { type: 'string' }] }), [
    '  POST /things: the answer has one form less',
    '! POST /things: the answer has one form more',
  ])
})

test('null is a value of a form and no form of its own', async () => {
  const nullable = { anyOf: [ref('Thing'), { type: 'null' }] }
  assert.equal(choiceChanges('answered', ref('Thing'), nullable), ['! POST /things: the answer may be null now'])
  assert.equal(choiceChanges('sent', nullable, ref('Thing')), ['! POST /things: the body is no null any more'])
  assert.equal(choiceChanges('answered', { ...object({}), type: ['object', 'null'] }, object({})), [
    '  POST /things: the answer is no null any more',
  ])
})

test('forms that contain themselves are compared to an end', async () => {
  const tree = (more: Record<string, JsonSchema>): OpenApiDocument => {
    const node = object({ ...more, children: { type: 'array', items: { anyOf: [ref('Bare'), TREE] } } })
    const made = documentWith({ anyOf: [TREE, ref('Bare')] }, 'answered')
    return { ...made, components: { schemas: { ...SHAPES, Tree: node } } } as never
  }
  const TREE = { $ref: '#/components/schemas/Tree' }
  assert.equal(compareDocuments(tree({}), tree({})), [])
  assert.equal(
    compareDocuments(tree({ a: { type: 'string' } }), tree({})).map(({ what }) => what),
    ['has no "a" any more'],
  )
})

const place = fc.constantFrom('GET /a', 'PUT /b', 'Thing')
const drawnChange = fc.record({ breaking: fc.boolean(), where: place, what: fc.constantFrom('is new', 'is gone', 'x') })

test('as text no change that breaks is left out, whatever is equal', async () => {
  fc.assert(
    fc.property(fc.array(drawnChange, { minLength: 1, maxLength: 40 }), (drawn) => {
      const text = changesAsText(drawn)
      const every = changesAsText(drawn, true).split('\n')
      assert.ok(text.split('\n').length <= every.length)
      for (const { breaking, what, where } of drawn) {
        assert.ok(every.includes(`  ${where}: ${what}`))
        if (breaking) assert.match(text.split('not breaking')[0]!, new RegExp(`: ${what}$`, 'm'))
      }
      assert.is(every.at(-1), text.split('\n').at(-1))
    }),
  )
})

test('equal changes in many places are one line, with their number', async () => {
  const many = Array.from({ length: 23 }, (_, at) => ({ breaking: true, where: `A${at}`, what: 'has one form more' }))
  assert.is(changesAsText(many), 'breaking\n  A0 and 22 more: has one form more\n23 of 23 changes break clients.')
  const limits = many.map(({ where }, at) => ({ breaking: true, where, what: `"f${at}" of the body has minLength 1` }))
  assert.match(changesAsText(limits), 'breaking\n  A0 and 22 more: has minLength 1\n')
  const harmless = many.map(({ where }, at) => ({ breaking: false, where, what: `takes "f${at}", which is new` }))
  assert.match(changesAsText(harmless), '  … and 21 lines more by --all\n0 of 23 changes break clients.')
  assert.is(changesAsText(harmless, true).split('\n').length, 25)
})

test('plinth diff tells it from files, and its exit code tells scripts', async () => {
  const [older, newer] = [join(folder, 'old.json'), join(folder, 'new.json')]
  await writeFile(older, JSON.stringify(await documentOf(BOOKS)))
  await writeFile(newer, JSON.stringify(await documentOf(BOOKS.replace('max: 100', 'max: 50'))))
  const env = { RESOURCES_DIR: folder }
  const tighter = await plinth(['diff', older, newer], env)
  assert.is(tighter.code, 1)
  assert.match(
    tighter.said,
    /^breaking\n {2}BookCreate: "title" has maxLength 50 instead of 100\n1 of 1 change breaks clients\.$/,
  )
  const looser = await plinth(['diff', newer, older, '--json'], env)
  assert.is(looser.code, 0)
  assert.equal(JSON.parse(looser.said), [
    { breaking: false, where: 'BookCreate', what: '"title" has maxLength 100 instead of 50' },
  ])
  const own = await plinth(['diff', older], env)
  assert.is(own.code, 1, 'the YAML in the folder is the newer one')
  await writeFile(newer, '{}')
  assert.match((await plinth(['diff', older, newer], env)).complained, /new\.json is no OpenAPI document/)
  assert.match((await plinth(['diff', join(folder, 'none.json')], env)).complained, /none\.json cannot be read/)
})

test.run()

/** Editing the files from a page: what changes would do is shown first, and written by its hash; nowhere but on a developer's machine. */
import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { Json, JsonObject } from '../../../engine/json.ts'
import { textHash } from '../../../engine/proposal/file-edits.ts'
import { until } from '../../support/wait.ts'
import { FILES, inBase, NOTES, notesWorld, type World } from './world.ts'

const test = suite('schema: editing files')

const ROUTES = ['GET /schema/files', 'POST /schema/edits', 'POST /schema/files', 'POST /schema/plans']

let world: World
test.before(async () => {
  world = await notesWorld({ watched: true, people: ['reader', 'writer'] })
})
test.after(() => world.close())

function pathOf(name: string): string {
  return relative(process.cwd(), join(world.folder, name))
}

interface File {
  readonly file: string
  readonly text: string
  readonly hash: string
}

async function fileNamed(name: string): Promise<File> {
  const answer = await world.call('admin', 'GET /schema/files')
  assert.is(answer.status, 200, answer.text)
  return (answer.at('data.own') as readonly File[]).find(({ file }) => file.endsWith(`/${name}`))!
}

async function edit(
  op: string,
  path: readonly (string | number)[],
  value?: Json,
  name = 'notes.yaml',
): Promise<JsonObject> {
  const { file, hash } = await fileNamed(name)
  return { file, hash, op, path: [...path], ...(value === undefined ? {} : { value }) }
}

async function proposed(...edits: readonly JsonObject[]): Promise<JsonObject> {
  const answer = await world.call('admin', 'POST /schema/edits', { edits })
  assert.is(answer.status, 200, answer.text)
  return answer.at('data') as JsonObject
}

async function written(edits: readonly JsonObject[], hash: Json | undefined): Promise<readonly JsonObject[]> {
  const answer = await world.call('admin', 'POST /schema/files', { edits, hash })
  assert.is(answer.status, 200, answer.text)
  const diagnostics = await world.app.engine.reload()
  assert.equal(
    diagnostics.filter(({ severity }) => severity !== 'warning').map(({ message }) => message),
    [],
  )
  return answer.at('data.undo') as readonly JsonObject[]
}

test('a new field is a patch, a step of the plan and a change for clients, and nothing is written', async () => {
  const told = await proposed(await edit('add', ['fields', 'due'], { type: 'date' }))
  assert.equal(told.diagnostics, [])
  assert.is(
    told.patch,
    `diff --git a/resources/notes.yaml b/resources/notes.yaml
--- a/resources/notes.yaml
+++ b/resources/notes.yaml
@@ -6,6 +6,7 @@
   title:  { type: string, required: true }    # shown everywhere
   kind:   { type: enum, values: [open, done, old], default: open }
   secret: { type: string, read: { role: admin } }
+  due:    { type: date }
 
 relations:
   owner: { belongs_to: users, embed: false }
`,
  )
  const plan = told.plan as { readonly steps: readonly JsonObject[] }
  assert.equal(
    plan.steps.map(({ risk, start, title }) => [title, risk, start]),
    [
      ['add column notes.due (date)', 'safe', 'takes'],
      ['add index on notes (due, id)', 'safe', 'takes'],
    ],
  )
  assert.ok((told.api as readonly JsonObject[]).length > 0)
  assert.is(readFileSync(join(world.folder, 'notes.yaml'), 'utf8'), NOTES)
})

test('a narrower policy says who loses how many records', async () => {
  for (const title of ['one', 'two']) await world.call('admin', 'POST /api/notes', { title })
  const told = await proposed(await edit('set', ['policies', 'view', 1, 'where', 'kind'], 'done'))
  const access = told.access as { readonly sentences: readonly string[] }
  assert.match(access.sentences.join('\n'), /notes: reader may see 2 records fewer/)
})

test('a mistake is told with its file, line and the nearest word, and has no plan', async () => {
  const told = await proposed(await edit('add', ['fields', 'due'], { type: 'dat' }))
  const [first] = told.diagnostics as readonly JsonObject[]
  assert.match(String(first?.message), /dat/)
  assert.match(String(first?.file), /notes\.yaml$/)
  assert.is((first?.from as JsonObject | undefined)?.line, 9)
  assert.is(told.plan, null)
})

test('what was shown is written by its hash, served, and taken back by what the answer says', async () => {
  const edits = [await edit('add', ['fields', 'due'], { type: 'date' }), await edit('set', ['label', 'one'], 'Remark')]
  const { hash, patch } = await proposed(...edits)
  const undo = await written(edits, hash)
  const text = readFileSync(join(world.folder, 'notes.yaml'), 'utf8')
  assert.match(text, /due: {4}\{ type: date \}/)
  assert.match(text, /one: Remark, many: Notes \}/)
  const made = await world.call('admin', 'POST /api/notes', { title: 'dated', due: '2026-12-24' })
  assert.is(made.at('data.due'), '2026-12-24', made.text)
  const back = await proposed(...undo)
  execFileSync('git', ['apply', '-R', '--check'], { cwd: join(world.folder, '..'), input: String(patch) })
  await written(undo, back.hash)
  assert.is(readFileSync(join(world.folder, 'notes.yaml'), 'utf8'), NOTES)
})

test('a file that somebody else saved meanwhile is 409, before and after it was shown, and stays as it is', async () => {
  const edits = [await edit('set', ['label', 'one'], 'Remark')]
  const { hash } = await proposed(...edits)
  const other = NOTES.replace('# notes of people', '# notes of everybody')
  writeFileSync(join(world.folder, 'notes.yaml'), other)
  try {
    for (const request of ['POST /schema/edits', 'POST /schema/files']) {
      const answer = await world.call('admin', request, { edits, ...(request.endsWith('files') ? { hash } : {}) })
      assert.is(answer.status, 409, answer.text)
      assert.match(answer.text, /notes\.yaml was changed by somebody else meanwhile/)
    }
    assert.is(readFileSync(join(world.folder, 'notes.yaml'), 'utf8'), other)
  } finally {
    writeFileSync(join(world.folder, 'notes.yaml'), NOTES)
  }
})

test('a hash of other changes is 409', async () => {
  const { hash } = await proposed(await edit('set', ['label', 'one'], 'Remark'))
  const answer = await world.call('admin', 'POST /schema/files', {
    edits: [await edit('set', ['label', 'one'], 'Memo')],
    hash,
  })
  assert.is(answer.status, 409, answer.text)
})

test('a new file is made and taken away again; a name that leads elsewhere is refused', async () => {
  const file = pathOf('tags.yaml')
  const text = 'resource: tags\nlabel: Tag\nfields:\n  name: { type: string }\npolicies:\n  view: [{ who: anyone }]\n'
  const edits = [{ file, hash: null, op: 'set', path: [], value: text }]
  const told = await proposed(...edits)
  assert.match(String(told.patch), /new file mode 100644\n--- \/dev\/null\n\+\+\+ b\/resources\/tags\.yaml\n/)
  const undo = await written(edits, told.hash)
  assert.is((await world.call(undefined, 'GET /api/tags')).status, 200)
  await written(undo, (await proposed(...undo)).hash)
  assert.is((await world.call(undefined, 'GET /api/tags')).status, 404)
  for (const name of ['../out.yaml', 'a/../../out.yaml', '.hidden.yaml', 'notes.test.yaml', 'script.js']) {
    const answer = await world.call('admin', 'POST /schema/edits', {
      edits: [{ file: pathOf(name), hash: null, op: 'set', path: [], value: text }],
    })
    assert.is(answer.status, 422, `${name} ${answer.text}`)
  }
  const absolute = await world.call('admin', 'POST /schema/edits', {
    edits: [{ file: '/etc/passwd', hash: null, op: 'set', path: [], value: text }],
  })
  assert.is(absolute.status, 422, absolute.text)
})

test('changes that are none are 422 at their place', async () => {
  const one = await edit('set', ['label'], 'x')
  const cases: readonly (readonly [Json, string])[] = [
    [[], 'edits'],
    ['text', 'edits'],
    [[one, 1], 'edits.1'],
    [[{ ...one, op: 'burn' }], 'edits.0.op'],
    [[{ ...one, path: 'label' }], 'edits.0.path'],
    [[{ ...one, hash: 3 }], 'edits.0.hash'],
    [[{ ...one, op: 'rename', path: ['fields', 'title'], value: 'kind' }], 'edits.0'],
  ]
  for (const [edits, field] of cases) {
    const answer = await world.call('admin', 'POST /schema/edits', { edits })
    assert.is(answer.status, 422, answer.text)
    assert.equal(Object.keys(answer.at('errors') as object), [field], answer.text)
  }
})

test('a step that would lose data is refused by the reload, and taken with the word of a person', async () => {
  const made = await world.call('admin', 'POST /api/notes', { title: 'of words', secret: 'twelve' })
  assert.is(made.status, 201, made.text)
  const edits = [await edit('set', ['fields', 'secret', 'type'], 'integer')]
  const { hash, plan } = await proposed(...edits)
  const { hash: word, steps } = plan as { readonly hash: string; readonly steps: readonly JsonObject[] }
  const [step, ...others] = steps.filter(({ start }) => start === 'refuses')
  assert.equal([others.length, step?.risk, step?.rows], [0, 'unsafe', 1], JSON.stringify(steps))
  assert.match(String(step?.reason), /1 row/)
  const answer = await world.call('admin', 'POST /schema/files', { edits, hash })
  assert.is(answer.status, 200, answer.text)
  const refused = await world.app.engine.reload()
  assert.equal(
    refused.map(({ code }) => code),
    ['unsafe_migration'],
  )
  assert.is((await world.call('admin', 'POST /schema/plans', { hash: word })).status, 202)
  const isServed = async (): Promise<boolean> =>
    (await world.call('admin', 'POST /api/notes', { title: 'of numbers', secret: 12 })).status === 201
  await until(isServed, 20_000)
})

test('a page of another origin, another name of this machine, and those who may not ask why are sent away', async () => {
  const body = { edits: [await edit('set', ['label', 'one'], 'Remark')] }
  const hosts: readonly Readonly<Record<string, string>>[] = [
    { host: 'evil.example' },
    { origin: 'http://evil.example' },
    { origin: 'null' },
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
  ]
  for (const headers of hosts) {
    const answer = await world.call('admin', 'POST /schema/edits', body, headers)
    assert.is(answer.status, 404, `${JSON.stringify(headers)} ${answer.text}`)
  }
  assert.is((await world.call(undefined, 'POST /schema/edits', body)).status, 401)
  assert.is((await world.call('writer', 'POST /schema/edits', body)).status, 403)
  assert.is((await world.call('reader', 'POST /schema/edits', body)).status, 200)
  const document = await world.call('admin', 'GET /openapi.json')
  assert.not.match(document.text, /\/schema\/edits/)
  assert.match((await world.call('reader', 'GET /catalog.json')).text, /"\/schema\/edits"/)
})

/** The notes of a town: an application of its own on another one, which lies in a folder of its own. */
const BASE = inBase(FILES)
const LAYERED: Readonly<Record<string, string>> = {
  ...BASE,
  'app.yaml': 'name: Town\nextends: ../base      # what all towns have\n',
  'notes.yaml': 'resource: notes\n\nfields:\n  town: { type: string }    # of the town\n',
}

test('in an application on another only its own files can be edited: those below stay byte for byte', async () => {
  const own = world
  world = await notesWorld({ files: LAYERED, watched: true })
  try {
    const below = (): readonly string[] =>
      Object.keys(BASE).map((name) => readFileSync(join(world.folder, name), 'utf8'))
    const before = below()
    const told = await world.call('admin', 'GET /schema/files')
    assert.equal(
      (told.at('data.own') as readonly File[]).map(({ file }) => file),
      [pathOf('app.yaml'), pathOf('notes.yaml')],
    )
    const edits = [await edit('add', ['fields', 'due'], { type: 'date' })]
    const { diagnostics, hash, patch } = await proposed(...edits)
    assert.equal(diagnostics, [])
    assert.equal(String(patch).match(/^[+-](?![+-]).*$/gm), ['+  due: { type: date }'])
    const undo = await written(edits, hash)
    assert.is((await world.call('admin', 'POST /api/notes', { title: 'dated', due: '2026-12-24' })).status, 201)
    await written(undo, (await proposed(...undo)).hash)
    assert.is(readFileSync(join(world.folder, 'notes.yaml'), 'utf8'), LAYERED['notes.yaml'])
    const others = [
      { file: pathOf('../base/notes.yaml'), hash: textHash(NOTES) },
      { file: pathOf('../base/notes.yaml'), hash: null },
      { file: pathOf('../base/new.yaml'), hash: null },
    ]
    for (const { file, hash: of } of others)
      for (const change of [
        { op: 'set', path: ['label', 'one'], value: 'Remark' },
        { op: 'set', path: [], value: NOTES },
      ])
        for (const request of ['POST /schema/edits', 'POST /schema/files']) {
          const body = { edits: [{ file, hash: of, ...change }], hash }
          const answer = await world.call('admin', request, body)
          assert.is(answer.status, 422, `${request} ${file} ${answer.text}`)
        }
    assert.equal(below(), before)
  } finally {
    await world.close()
    world = own
  }
})

test('in production, without --watch, and on an address that others reach there are no such routes', async () => {
  const cases = [
    {
      watched: true as const,
      env: { NODE_ENV: 'production', HOST: '127.0.0.1', APP_SECRET: 'tHXp1qz0WmVb4nK8sRd2yLu6fGa3cJe9' },
    },
    { env: {} },
    { watched: true as const, env: { HOST: '0.0.0.0' } },
  ]
  for (const options of cases) {
    const other = await notesWorld(options)
    try {
      for (const route of ROUTES) {
        const body = route.startsWith('POST') ? { edits: [] } : undefined
        assert.is((await other.call('admin', route, body)).status, 404, `${JSON.stringify(options)} ${route}`)
      }
      assert.not.match((await other.call('admin', 'GET /catalog.json')).text, /\/schema\/edits/)
    } finally {
      await other.close()
    }
  }
})

test.run()

/** The document covers exactly the routes that answer, lints clean, and says of each what there is to know. */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { Node, OpenApiDocument } from '../../engine/openapi/openapi-document.ts'
import { inputSchema, recordSchema } from '../../engine/openapi/record-schema.ts'
import { openDesk } from '../desk/desk.ts'
import { resolveFiles } from '../resolve/resolves.ts'
import { application } from '../support/application.ts'
import { flat, methodsOf, type ObjectSchema, resolved } from '../support/document.ts'

interface Served {
  readonly name: string
  readonly document: OpenApiDocument
  /** `GET /path`, as the application has them. */
  readonly routes: readonly string[]
  /** The methods that a path says it knows. */
  allowed(path: string): Promise<readonly string[]>
}

const PROBES = ['/livez', '/readyz', '/metrics']
const CONFIG = 'extends: [recommended]\nrules: { info-license: off, operation-4xx-response: off }\n'

const served: Served[] = []
const closing: (() => Promise<void>)[] = []
const folder = mkdtempSync(join(tmpdir(), 'plinth-openapi-'))

const test = suite('openapi')

test.before(async () => {
  const desk = await openDesk()
  closing.push(() => desk.close())
  served.push({
    name: 'the desk',
    document: desk.engine.app.document(),
    routes: desk.engine.app.routes
      .filter(({ unlisted }) => unlisted !== true)
      .map((route) => `${route.method} ${route.absolute ? '' : '/api/v1'}${route.path}`),
    allowed: async (path) => methods((await desk.call('OPTIONS', `/${path}`)).headers.allow),
  })
  const library = await application({ resources: 'test/library/resources' })
  closing.push(() => library.close())
  served.push({
    name: 'the library',
    document: library.engine.app.document(),
    routes: library.engine.app.routes.map(
      (route) => `${route.method} ${route.absolute ? '' : '/library'}${route.path}`,
    ),
    allowed: async (path) => methods((await library.call('OPTIONS', path)).headers.allow),
  })
})
test.after(async () => {
  for (const close of closing) await close()
  rmSync(folder, { recursive: true })
})

function methods(allow: string | undefined): readonly string[] {
  return (allow ?? '')
    .split(', ')
    .filter((method) => method !== 'HEAD' && method !== 'OPTIONS')
    .sort()
}

function operations({
  document,
}: Served): readonly { readonly of: string; readonly path: string; readonly node: Node }[] {
  return Object.entries(document.paths).flatMap(([path, under]) =>
    methodsOf(under).map(([method, node]) => ({ of: `${method.toUpperCase()} ${path}`, path, node })),
  )
}

test('every route is in the document but those for people who explain, and nothing else but the paths for operators', () => {
  for (const one of served) {
    const known = operations(one).filter(({ path }) => !PROBES.includes(path))
    assert.equal(known.map(({ of }) => of).sort(), [...one.routes].sort(), one.name)
  }
})

test('every path of the document answers, with the methods that it has there', async () => {
  for (const one of served) {
    for (const [path, under] of Object.entries(one.document.paths)) {
      if (PROBES.includes(path)) continue
      const real = path.replace(/\{\w+\}/g, '1')
      const known = methodsOf(under).map(([method]) => method.toUpperCase())
      assert.equal(await one.allowed(real), known.sort(), `${one.name}: ${path}`)
    }
  }
})

test('lints clean', () => {
  writeFileSync(join(folder, 'redocly.yaml'), CONFIG)
  for (const { name, document } of served) {
    const file = join(folder, 'openapi.json')
    writeFileSync(file, JSON.stringify(document))
    const env = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' }
    const args = [
      'node_modules/@redocly/cli/bin/cli.js',
      'lint',
      '--format=json',
      `--config=${folder}/redocly.yaml`,
      file,
    ]
    let text: string
    try {
      text = execFileSync(process.execPath, args, { encoding: 'utf8', env, stdio: ['ignore', 'pipe', 'ignore'] })
    } catch (error) {
      text = String(Reflect.get(Object(error), 'stdout'))
    }
    const report = JSON.parse(text) as {
      problems: { ruleId: string; message: string; location: { pointer: string }[] }[]
    }
    const said = report.problems.map(({ ruleId, message, location }) => `${ruleId} ${location[0]?.pointer}: ${message}`)
    assert.equal(said, [], name)
  }
})

test('every operation has an id of its own, a group, a summary, who may, and how it refuses', () => {
  for (const one of served) {
    const all = operations(one)
    assert.is(new Set(all.map(({ node }) => node.operationId)).size, all.length, one.name)
    for (const { of, path, node } of all) {
      assert.ok((node.tags as readonly string[]).length === 1 && node.summary, of)
      if (PROBES.includes(path)) continue
      assert.ok(node.description, of)
      assert.equal((node.responses as Node).default, { $ref: '#/components/responses/Refused' }, of)
    }
  }
})

type Parameter = Node & { readonly name?: string; readonly schema?: Node }

function operation(name: string): Node & { readonly parameters: readonly Parameter[] } {
  const [desk] = served
  const found = operations(desk!).find(({ node }) => node.operationId === name)
  assert.ok(found, name)
  const parameters = (found!.node.parameters ?? []) as readonly Parameter[]
  return { ...found!.node, parameters: parameters.map((one) => resolved(served[0]!.document, one) as Parameter) }
}

/** A schema with all that its parts say. */
function schema(name: string): ObjectSchema {
  return flat(served[0]!.document, served[0]!.document.components.schemas[name])
}

test('a list has its filters, operators, ranges, special words, sort keys and pages', () => {
  const { parameters } = operation('listTickets')
  const named = (name: string) => parameters.find((parameter) => parameter.name === name)?.schema ?? {}
  for (const name of ['status_id', 'assigned_to', 'search', 'page', 'per_page', 'cursor', 'order', 'date_from']) {
    assert.ok(named(name).type, name)
  }
  assert.equal(named('type').enum, ['un_assigned', 'open', 'new'])
  const { enum: keys } = named('sort').items as { enum: readonly string[] }
  assert.ok(keys.includes('-priority_id') && keys.includes('created_at'))
  assert.equal(named('operators'), { $ref: '#/components/schemas/TicketFilters' })
  const operators = Object.keys(schema('TicketFilters').properties)
  for (const name of ['created_at[gte]', 'subject[contains]', 'assigned_to[null]', 'status_id[not_in]']) {
    assert.ok(operators.includes(name), name)
  }
})

test('a body has what may be written, with limits, and not what is only read', () => {
  const ticket = schema('TicketCreate')
  assert.equal(ticket.required, ['subject', 'details'])
  assert.is(ticket.properties.subject?.maxLength, 255)
  assert.equal(ticket.properties.due_date?.type, ['string', 'null'])
  for (const name of ['id', 'uid', 'comments_count', 'created_at', 'status'])
    assert.not(name in ticket.properties, name)
  const user = schema('UserCreate')
  assert.ok(user.required.includes('email'))
  assert.ok('password' in user.properties && !user.required.includes('password'), 'without it there is an invitation')
  assert.not('ticket_id' in schema('TicketCommentCreate').properties)
  assert.equal(schema('TicketUpdate').required, [])
})

test('generated clients may leave out what has a default, and name a record by its number or by another text', () => {
  for (const { name, document } of served) {
    const bodies = Object.values(document.paths).flatMap((path) =>
      methodsOf(path as Node).flatMap(([, operation]) => {
        const { content = {} } = resolved(document, operation.requestBody ?? {})
        return Object.values(content as Record<string, { schema: unknown }>).map(({ schema }) => flat(document, schema))
      }),
    )
    assert.ok(bodies.length > 5)
    for (const body of bodies)
      for (const [key, value] of Object.entries(body.properties))
        assert.not.ok('default' in value, `${name}: ${key} has a default, which generators ask for`)
  }
  const desk = served[0]!.document
  const [id] = Object.values(Object(desk.paths['/api/v1/tickets/{id}']?.parameters))
  const { schema } = resolved(desk, id)
  assert.equal(Reflect.get(Object(schema), 'type'), ['integer', 'string'])
  const create = flat(desk, { $ref: '#/components/schemas/TicketCreate' })
  assert.match(String(create.properties.tags?.description), '`[]` if absent.')
})

test('an answer has embeds and counts, and single records more than those of lists', () => {
  const [single, list] = [schema('Ticket'), schema('TicketListItem')]
  assert.equal(Object.keys(flat(served[0]!.document, single.properties.status).properties), ['id', 'name', 'slug'])
  assert.equal(resolved(served[0]!.document, single.properties.assignedTo).type, ['object', 'null'])
  assert.ok('comments' in single.properties && !('comments' in list.properties))
  assert.is(list.properties.comments_count?.type, 'integer')
  assert.not('password_hash' in schema('User').properties)
})

test('tokens are asked for except where a route is public', () => {
  const ways = [{ bearer: [] }, { key: [] }, { cookie: [] }]
  assert.equal(served[0]!.document.security, ways)
  const { securitySchemes } = served[0]!.document.components as Record<
    string,
    Record<string, { readonly type: string }>
  >
  assert.equal([securitySchemes?.key?.type, securitySchemes?.cookie?.type], ['http', 'apiKey'])
  assert.is(operation('listTickets').security, undefined)
  assert.equal(operation('postAuthLogin').security, [{}, ...ways])
})

test('what a rule fills for some callers is not asked of all, and a number that the database gives is never null', () => {
  const clauses = 'create: [{ permission: orders.manage }, { role: clerk, set: { branch: { name: Main } } }]'
  const orders = `
fields: { number: { type: sequence }, title: { type: string, required: true } }
relations: { branch: { belongs_to: branches, required: true } }
policies: { view: [{ who: anyone }], ${clauses}, update: [], delete: [], restore: [] }`
  const branches = 'fields: { name: { type: string } }\npolicies: { view: [{ who: anyone }] }\nactions: [list]'
  const { value } = resolveFiles({ orders, branches })
  const resource = value?.resources.get('orders')
  assert.ok(resource)
  const body = inputSchema(resource, 'create', [])
  assert.equal(body.required, ['title'])
  assert.match(JSON.stringify(body.properties), /A rule fills it in for some callers/)
  const { number } = recordSchema(resource, 'list').properties as Record<string, { type: unknown }>
  assert.is(number?.type, 'string')
})

/** Words of a translation, for which English has plainer ones. */
const TURNS = /\b(whoever|of which|tells? of|stands?|beside|never else|can not)\b/i

test('summaries, descriptions and the guide are in plain English', () => {
  for (const { name, document } of served) {
    const texts: string[] = []
    JSON.stringify(document, (key, value: unknown) => {
      if (['summary', 'description', 'x-guide'].includes(key) && typeof value === 'string') texts.push(value)
      return value
    })
    assert.ok(texts.length > 100)
    assert.equal([...new Set(texts.filter((text) => TURNS.test(text)))], [], name)
  }
})

test.run()

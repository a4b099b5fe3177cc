/** Requests made from /openapi.json, valid, nearly valid and hostile: none is a fault, and every answer is what the document says. */
import { Ajv2020 } from 'ajv/dist/2020.js'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { Generator, type Intent, type Made, type Operation, operationsOf, seeded } from './generate.ts'
import { memory } from './measure.ts'
import { openRestartable, type Restartable } from './restartable.ts'
import { addFigures, cyclesOf } from './table.ts'

const REQUESTS = cyclesOf(3_000)
const SEED = Number(process.env.REQUESTS_SEED ?? 20_261_122)
const TOGETHER = 16
const ADMIN = { email: 'boss@desk.example', password: 'a very long secret' }
const PASSWORD = 'correct horse battery'
const INTENTS: readonly Intent[] = ['valid', 'valid', 'nearly', 'hostile']

/** What would end the sessions of the test itself, is not about records, or never ends: signing out, pages, streams. */
const ASIDE =
  /\/stream$|^\/(livez|readyz|metrics|docs|dashboard|openapi\.json|password|email)|\/auth\/(logout|me|password|sessions|email)/

interface World {
  readonly service: Restartable
  readonly document: Readonly<Record<string, unknown>>
  /** Nobody, and somebody of each role. */
  readonly tokens: readonly (string | undefined)[]
}

const test = suite<World>('faults: generated requests')
test.before(async (context) => {
  const env = { ADMIN_EMAIL: ADMIN.email, ADMIN_PASSWORD: ADMIN.password, LOG_LEVEL: 'error' }
  const service = await openRestartable({ env })
  const json = async (method: string, path: string, token?: string, body?: object) => {
    const headers = { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) }
    const init = { method, headers, ...(body && { body: JSON.stringify(body) }) }
    return (await (await fetch(`${service.url}${path}`, init)).json()) as {
      data: Record<string, unknown>[] & Record<string, unknown>
    }
  }
  const login = async (body: object): Promise<string> =>
    String((await json('POST', '/api/v1/auth/login', undefined, body)).data.token)
  const admin = await login(ADMIN)
  const roles = (await json('GET', '/api/v1/settings/roles?per_page=100', admin)).data
  // Who may do the most comes furthest, so the admin asks more often than the others.
  const tokens: (string | undefined)[] = [undefined, admin, admin, admin, admin]
  for (const { id, slug } of roles.filter((role) => role.slug !== 'admin')) {
    const email = `${slug}@people.example`
    const name = { first_name: String(slug), last_name: 'Tester' }
    const secret = { password: PASSWORD, password_confirmation: PASSWORD }
    await json('POST', '/api/v1/users', admin, { ...name, email, role_id: id, ...secret })
    tokens.push(await login({ email, password: PASSWORD }))
  }
  Object.assign(context, { service, tokens, document: await json('GET', '/openapi.json') })
})
test.after(({ service }) => service.close())

/** Says what an answer has against the document; undefined where it is as described. */
type Judge = (made: Made, answer: Response, text: string) => string | undefined

function judgeBy(document: World['document']): Judge {
  const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: false })
  ajv.addSchema(document, 'doc')
  const pointer = (...keys: readonly string[]): string =>
    `doc#/${keys.map((key) => encodeURIComponent(key.replaceAll('~', '~0').replaceAll('/', '~1'))).join('/')}`
  const follow = (path: readonly string[]): readonly string[] => {
    const node = path.reduce<unknown>((at, key) => Reflect.get(Object(at), key), document)
    const to = Reflect.get(Object(node), '$ref')
    return typeof to === 'string' ? to.slice(2).split('/') : path
  }
  const check = new Map<string, ReturnType<typeof ajv.compile> | undefined>()
  return ({ operation }, { status, headers }, text) => {
    if (status === 304 || status === 204 || text === '') return undefined
    const of = ['paths', operation.path, operation.method.toLowerCase(), 'responses']
    const responses = of.reduce<unknown>((at, key) => Reflect.get(Object(at), key), document) as object
    const named = String(status) in responses ? String(status) : 'default'
    if (!(named in responses)) return `the document knows no status ${status}`
    const place = follow([...of, named])
    const type = (headers.get('content-type') ?? '').split(';')[0] ?? ''
    const typeAt = [...place, 'content', type]
    const described = typeAt.reduce<unknown>((at, key) => Reflect.get(Object(at), key), document)
    if (described === undefined) return `the document knows no ${type} with ${status}`
    // Files of other types have no schema.
    if (type !== 'application/json') return undefined
    const schemaAt = [...typeAt, 'schema']
    const key = schemaAt.join(' ')
    let validate = check.get(key)
    if (validate === undefined) {
      validate = ajv.compile({ $ref: pointer(...schemaAt) })
      check.set(key, validate)
    }
    if (validate(JSON.parse(text))) return undefined
    const [error] = validate.errors ?? []
    return `${error?.instancePath} ${error?.message} ${JSON.stringify(error?.params)}`
  }
}

test(`${REQUESTS} requests are answered as the document says`, async ({ service, document, tokens }) => {
  const random = seeded(SEED)
  const known = new Map<string, string[]>()
  const collection = (path: string): string => path.split('/{')[0] ?? path
  const ids = (path: string): string => {
    const made = known.get(collection(path)) ?? []
    // The accounts and roles of this test are among the first: they are looked at, and left as they are.
    const own =
      /\/(users|customers|roles|pending)/.test(path) && made.length === 0
        ? '999999'
        : String(1 + Math.floor(random() * 6))
    return made.length > 0 && random() < 0.7 ? made[Math.floor(random() * made.length)]! : own
  }
  const generator = new Generator(document, random, ids)
  const isOwn = ({ method, path }: Operation, url: string): boolean =>
    method !== 'GET' && /\/(users|roles|customers|pending)\/([1-9]|1\d)(\/|\?|$)/.test(url) && path.includes('{')
  const operations = operationsOf(document).filter(({ path }) => !ASIDE.test(path))
  const judge = judgeBy(document)
  const statuses: Record<string, number> = {}
  const wrong: string[] = []
  const usual: number[] = []
  let sent = 0
  const sender = async (): Promise<void> => {
    while (sent < REQUESTS && wrong.length < 20) {
      sent += 1
      const operation = generator.one(operations)
      const made = generator.make(operation, generator.one(INTENTS))
      if (isOwn(operation, made.path)) continue
      const token = generator.one(tokens)
      const said = `${sent}: ${operation.method} ${made.path.slice(0, 200)} ${String(made.body ?? '').slice(0, 300)}`
      try {
        const headers = { ...made.headers, ...(token === undefined ? {} : { authorization: `Bearer ${token}` }) }
        const init = { method: operation.method, headers, ...(made.body === undefined ? {} : { body: made.body }) }
        const answer = await fetch(`${service.url}${made.path}`, { ...init, signal: AbortSignal.timeout(60_000) })
        const text = await answer.text()
        statuses[answer.status] = (statuses[answer.status] ?? 0) + 1
        const complaint = answer.status >= 500 ? 'a fault' : judge(made, answer, text)
        if (complaint !== undefined) wrong.push(`${said}\n  → ${answer.status} ${complaint}: ${text.slice(0, 300)}`)
        if (answer.status === 201 && operation.method === 'POST') remember(known, operation.path, text)
      } catch (error) {
        wrong.push(`${said}\n  → ${error}`)
      }
      if (sent % Math.ceil(REQUESTS / 40) === 0) usual.push(memory(service))
    }
  }
  await Promise.all(Array.from({ length: TOGETHER }, sender))
  process.stdout.write(`  answers by status: ${JSON.stringify(statuses)}; memory in MB: ${usual.join(' ')}\n`)
  const good = Object.entries(statuses).reduce((sum, [status, count]) => sum + (status < '300' ? count : 0), 0)
  addFigures({
    fault: 'generated requests',
    cycles: sent,
    acknowledged: good,
    lost: 0,
    doubled: 0,
    torn: 0,
    wrong: wrong.length,
    recoveryMs: 0,
  })
  assert.equal(wrong.slice(0, 5), [], `seed ${SEED}`)
  assert.ok(good > REQUESTS / 20, `only ${good} of ${REQUESTS} were served`)
  const [quarter, last] = [usual[Math.floor(usual.length / 4)] ?? 0, usual.at(-1) ?? 0]
  assert.ok(last < quarter * 2 + 50, `memory went from ${quarter} to ${last} MB`)
})

/** Keeps the id of a new record for later requests. */
function remember(known: Map<string, string[]>, path: string, text: string): void {
  const id = Reflect.get(Object(Reflect.get(Object(JSON.parse(text)), 'data')), 'id')
  if (typeof id !== 'number') return
  const list = known.get(path) ?? []
  list.push(String(id))
  known.set(path, list.slice(-200))
}
test.run()

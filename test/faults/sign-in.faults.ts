/** kill -9 in sign-ins, in the set-up of second factors and in sign-outs by a provider: nothing of it is half there. */
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { codeAt, stepAt } from '../../plugins/auth/factors/totp.ts'
import { folder } from '../cli/world.ts'
import { type Forge, openForge } from '../plugins/auth/provider/forge.ts'
import { until } from '../support/wait.ts'
import { openRestartable, type Restartable } from './restartable.ts'
import { addFigures, cyclesOf } from './table.ts'

const WRITERS = 6
const CYCLES = cyclesOf(3)
const PASSWORD = 'correct horse battery'
const EVENT = 'http://schemas.openid.net/event/backchannel-logout'

const app = (issuer: string): string => `name: Office
prefix: /api
plugins:
  timestamps: {}
  soft_delete: {}
  mail: {}
  auth:
    approval: 'off'
    verify: false
    providers:
      acme: { label: Acme, issuer: ${issuer}, client_id: desk }
`

interface State {
  acme: Forge
  files: ReturnType<typeof folder>
  service: Restartable
}

const test = suite<State>('faults: kill -9 in sign-ins')

test.before(async (state) => {
  state.acme = await openForge({ sub: 'ann', email: 'ann@acme.example' })
  state.files = folder({ 'resources/app.yaml': app(state.acme.issuer) })
  state.service = await openRestartable({
    resources: `${state.files.path}/resources`,
    env: { AUTH_ACME_SECRET: 'a secret of tests', APP_SECRET: 'one secret that outlives each process' },
  })
})
test.after(async ({ acme, files, service }) => {
  await service?.close()
  await acme?.close()
  files?.remove()
})

interface Done {
  readonly status: number
  readonly data: Readonly<Record<string, unknown>>
}

async function send({ url }: Restartable, method: string, path: string, body?: object, token?: string): Promise<Done> {
  const answer = await fetch(`${url}/api${path}`, {
    method,
    headers: {
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  const { data } = (await answer.json()) as { readonly data?: Done['data'] }
  return { status: answer.status, data: data ?? {} }
}

function bytesOf(letters: string): Buffer {
  const bits = [...letters]
    .map((one) => 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.indexOf(one).toString(2).padStart(5, '0'))
    .join('')
  return Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)))
}

interface Sent {
  registered: string[]
  readonly withFactor: Set<string>
  done: number
}

/** Registers, signs in, sets a factor up and signs in by it, again and again until the service is gone. */
async function work(service: Restartable, writer: string, sent: Sent): Promise<void> {
  for (let at = 0; ; at++) {
    const email = `${writer}-${at}@people.example`
    const name = { first_name: 'A', last_name: writer }
    try {
      const passwords = { password: PASSWORD, password_confirmation: PASSWORD }
      const { data, status } = await send(service, 'POST', '/auth/register', { ...name, email, ...passwords })
      if (status !== 200 && status !== 201) continue
      sent.registered.push(email)
      const token = String(data.token)
      const begun = await send(service, 'POST', '/auth/factors/totp', { name: 'Phone' }, token)
      const secret = bytesOf(String(begun.data.secret))
      const code = codeAt(secret, stepAt(new Date()) - 1)
      const path = `/auth/factors/totp/${String(begun.data.id)}/confirm`
      const { status: confirmed } = await send(service, 'POST', path, { code }, token)
      if (confirmed === 200) sent.withFactor.add(email)
      const first = await send(service, 'POST', '/auth/login', { email, password: PASSWORD })
      const body = { challenge: first.data.challenge, code: codeAt(secret, stepAt(new Date()) + 1) }
      await send(service, 'POST', '/auth/second-factor', body)
      sent.done += 1
    } catch {
      return
    }
  }
}

/** Sends logout tokens of sessions that are there, until the service is gone. */
async function signOut({ acme, service }: State, sids: readonly string[]): Promise<void> {
  for (const sid of sids) {
    const now = Math.floor(Date.now() / 1000)
    const claims = {
      iss: acme.issuer,
      aud: 'desk',
      iat: now,
      exp: now + 300,
      jti: `out ${sid}`,
      events: { [EVENT]: {} },
      sid,
    }
    const token = await acme.keys.sign(claims, { typ: 'logout+jwt' })
    try {
      await fetch(`${service.url}/api/auth/providers/acme/logout`, {
        method: 'POST',
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        body: new URLSearchParams({ logout_token: token }).toString(),
      })
    } catch {
      return
    }
  }
}

/** What is half there, in numbers that must all be 0. */
const HALF = `select
  (select count(*) from users where password_hash is null or role_id is null)::int as accounts,
  (select count(*) from factors f where confirmed_at is not null
    and (select count(*) from recovery_codes r where r.user_id = f.user_id) <> 10)::int as factors,
  (select count(*) from access_tokens t join factors f on f.user_id = t.user_id and f.confirmed_at is not null
    where t.created_at > f.confirmed_at and not t.factors ? 'totp')::int as sessions,
  (select count(*) from access_tokens where sid = any($1))::int as signed_out`

test('no half account, no session without its factor, and no sign-out that counted and did nothing', async (state) => {
  const { service } = state
  if (service.databaseUrl === undefined) return
  const client = new pg.Client({ connectionString: service.databaseUrl })
  await client.connect()
  const sent: Sent = { registered: [], withFactor: new Set(), done: 0 }
  let [kept, used] = [0, 0]
  try {
    for (let cycle = 0; cycle < CYCLES; cycle++) {
      const sids = Array.from({ length: 600 }, (_, at) => `session ${cycle} ${at}`)
      await client.query(
        `insert into access_tokens (jti, user_id, expires_at, created_at, provider, sid, factors)
         select gen_random_uuid(), (select min(id) from users), now() + interval '1 day', now(), 'acme', sid, '["provider"]'
         from unnest($1::text[]) sid`,
        [sids],
      )
      const workers = Array.from({ length: WRITERS }, (_, at) => work(service, `w${cycle}x${at}`, sent))
      const outs = signOut(state, sids)
      const before = sent.done
      await until(async () => sent.done >= before + WRITERS, 300_000)
      await sleep(Math.random() * 400)
      await service.kill()
      await Promise.all([...workers, outs])
      // A token that counts as used has ended its session; one that does not counts still.
      const { rows: spent } = await client.query(
        `select count(*)::int as used from provider_codes where user_id is null and provider = 'acme'`,
      )
      const { rows: left } = await client.query(`select count(*)::int as kept from access_tokens where sid = any($1)`, [
        sids,
      ])
      assert.is(Number(spent[0].used) - used + Number(left[0].kept), sids.length)
      used = Number(spent[0].used)
      kept += Number(left[0].kept)
      await service.start()
      await signOut(state, sids)
      used += Number(left[0].kept)
      const { rows } = await client.query(HALF, [sids])
      assert.equal(rows[0], { accounts: 0, factors: 0, sessions: 0, signed_out: 0 }, JSON.stringify(rows[0]))
    }
    for (const email of sent.registered.slice(-20)) {
      const { status } = await send(service, 'POST', '/auth/login', { email, password: PASSWORD })
      assert.ok(status === 202 || (status === 200 && !sent.withFactor.has(email)), `${email} ${status}`)
    }
    assert.ok(sent.done > 0, `${kept} sign-outs were cut off`)
  } finally {
    await client.end()
  }
  const figures = { lost: 0, doubled: 0, torn: 0, wrong: 0 }
  addFigures({ fault: 'kill -9 in sign-ins', cycles: CYCLES, acknowledged: sent.done, ...figures, recoveryMs: 0 })
})

test.run()

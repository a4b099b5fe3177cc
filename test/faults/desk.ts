/** The support desk as a process of its own that can be killed, with its admin signed in, and leases that end soon. */
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openRestartable, type Restartable } from './restartable.ts'

const ADMIN = { email: 'boss@desk.example', password: 'a very long secret' }

export interface RestartableDesk {
  readonly service: Restartable
  /** Asks as the admin; rejects when the service is gone. */
  ask(
    method: string,
    path: string,
    body?: object | FormData,
    headers?: Readonly<Record<string, string>>,
  ): Promise<{ readonly status: number; readonly body: Body }>
  /** The headers of a request of the admin. */
  headers(): Readonly<Record<string, string>>
  close(): Promise<void>
}

/** What tests read of an answer. */
export interface Body {
  readonly data?: unknown
  readonly meta?: { readonly pagination?: { readonly total: number; readonly next_cursor?: string | null } }
}

/** Starts the desk; `change` turns its app.yaml into the one that is served. */
export async function openRestartableDesk(change: (app: string) => string = (app) => app): Promise<RestartableDesk> {
  const folder = await mkdtemp(join(tmpdir(), 'plinth-desk-'))
  await cp('resources', folder, { recursive: true })
  const app = join(folder, 'app.yaml')
  // A job of a process that was killed is begun again after a second.
  const quick = '\nlimits: { jobLeaseMs: 1000, jobPollMs: 200 }\n'
  await writeFile(app, `${change(await readFile(app, 'utf8'))}${quick}`)
  const env = { ADMIN_EMAIL: ADMIN.email, ADMIN_PASSWORD: ADMIN.password }
  const service = await openRestartable({ resources: folder, env })
  let token = ''
  const headers = () => ({ authorization: `Bearer ${token}` })
  const ask: RestartableDesk['ask'] = async (method, path, body, more) => {
    const isForm = body instanceof FormData
    const answer = await fetch(`${service.url}/api/v1${path}`, {
      method,
      headers: { ...headers(), ...(isForm ? {} : { 'content-type': 'application/json' }), ...more },
      ...(body === undefined ? {} : { body: isForm ? body : JSON.stringify(body) }),
    })
    const text = await answer.text()
    return { status: answer.status, body: (text === '' ? {} : JSON.parse(text)) as Body }
  }
  const login = await ask('POST', '/auth/login', ADMIN)
  token = (login.body.data as { token: string }).token
  return {
    service,
    ask,
    headers,
    async close() {
      await service.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

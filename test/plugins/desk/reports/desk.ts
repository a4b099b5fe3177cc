/** A desk for reports: the real resources over HTTP, people by role, files as bytes. */

import { type Answer, application, send, type TestApplication } from '../../../support/application.ts'

const ADMIN = { ADMIN_EMAIL: 'boss@desk.example', ADMIN_PASSWORD: 'a very long secret' }
const PASSWORD = 'correct horse battery'

/** A report as it is answered. */
export interface Report {
  readonly id: number
  readonly type: string
  readonly status: string
  readonly summary: Readonly<Record<string, unknown>> | null
  readonly rows: readonly Readonly<Record<string, unknown>>[]
  readonly rows_count: number
  readonly file: { readonly url: string; readonly size: number }
}

export interface ReportDesk {
  readonly app: TestApplication
  readonly admin: string
  call(method: string, path: string, token?: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>
  /** The report as answered; throws unless it is 201. */
  report(body: unknown, token?: string): Promise<Report>
  file(report: Pick<Report, 'file'>, token?: string): Promise<Answer>
  /** The id and token of a new account. */
  person(role: string, name: readonly [string, string]): Promise<{ readonly id: number; readonly token: string }>
  setting(kind: string, name: string): Promise<number>
}

/** Opens a desk on a folder of YAML, or on its files by name. */
export async function openReports(
  resources: string | Readonly<Record<string, string>> = 'resources',
): Promise<ReportDesk> {
  const app = await application({ resources, env: ADMIN })
  const call: ReportDesk['call'] = (method, path, token, body, headers = {}) =>
    app.call(method, `/api/v1${path}`, { token, body, headers })
  const login = async (email: string, password: string): Promise<string> =>
    String((await call('POST', '/auth/login', undefined, { email, password })).body.data.token)
  const admin = await login(ADMIN.ADMIN_EMAIL, ADMIN.ADMIN_PASSWORD)
  const setting: ReportDesk['setting'] = async (kind, name) => {
    const { body } = await call('GET', `/settings/${kind}?per_page=100`, admin)
    return Number(body.data.find((one: { name: string; slug?: string }) => one.name === name || one.slug === name).id)
  }
  return {
    app,
    admin,
    call,
    setting,
    async report(body, token = admin) {
      const answer = await call('POST', '/reports/generate', token, body)
      if (answer.status !== 201) throw new Error(`the report was answered ${answer.status}: ${answer.text}`)
      return answer.body.data
    },
    file: (report, token = admin) => send(app.address, 'GET', report.file.url, { token }),
    async person(role, [first_name, last_name]) {
      const email = `${first_name.toLowerCase()}.${Math.random().toString(36).slice(2)}@people.example`
      const password = { password: PASSWORD, password_confirmation: PASSWORD }
      const input = { first_name, last_name, email: email.replace(/[^\w.@]/g, 'x'), ...password }
      const { body } = await call('POST', '/users', admin, { ...input, role_id: await setting('roles', role) })
      return { id: Number(body.data.id), token: await login(input.email, PASSWORD) }
    },
  }
}

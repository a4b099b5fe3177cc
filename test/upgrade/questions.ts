/** What a desk is asked before and after it changes its version. */
import { parse } from 'csv-parse/sync'
import type { Answer } from '../support/answer.ts'
import { deskAt } from './client.ts'
import { ADMIN, PASSWORD, type Sown } from './sow.ts'

/** What was answered, by the request: `agent GET /tickets/3`. */
export type Answers = Readonly<Record<string, { readonly status: number; readonly body: unknown }>>

const LISTS = [
  '/tickets',
  '/contacts',
  '/customers',
  '/users',
  '/users/pending',
  '/organizations',
  '/conversations',
  '/settings/categories',
  '/settings/priorities',
  '/settings/statuses',
  '/settings/departments',
  '/settings/types',
  '/settings/roles',
  '/knowledge-base',
  '/faqs',
  '/posts',
  '/notes',
  '/media',
  '/notifications',
  '/reports',
  '/macros',
  '/replies',
  '/webhooks',
]

const FIGURES = [
  '/dashboard?date_from=2020-01-01&date_to=2035-01-01',
  '/dashboard/metrics?date_from=2020-01-01&date_to=2035-01-01',
  '/ai/settings',
  '/auth/me',
  '/tickets?search=printer&per_page=100&sort=id',
  '/tickets?type=un_assigned&per_page=100&sort=id',
  '/tickets?sort=-id&per_page=5&page=2',
  '/contacts?search=person%203&sort=id',
  '/tickets/export?sort=id',
]

/** Asks as each person, with the tokens that were given when the desk was filled. */
export async function ask(address: string, sown: Sown): Promise<Answers> {
  const desk = deskAt(address)
  const answers: Record<string, { status: number; body: unknown }> = {}
  const put = async (name: string, path: string, token: string | undefined): Promise<void> => {
    const answer = await desk.call('GET', path, token)
    answers[`${name} GET ${path}`] = { status: answer.status, body: bodyOf(path, answer) }
  }
  for (const [name, { token }] of Object.entries(sown.people)) {
    for (const list of LISTS) await put(name, `${list}?per_page=100&sort=id`, token)
    for (const figures of FIGURES) await put(name, figures, token)
    for (const id of sown.ids['/tickets'] ?? []) await put(name, `/tickets/${id}`, token)
  }
  const { token } = sown.people.admin ?? {}
  for (const id of sown.ids['/tickets'] ?? []) await put('admin', `/tickets/${id}/comments`, token)
  for (const id of sown.ids['/conversations'] ?? []) await put('admin', `/conversations/${id}/messages`, token)
  for (const id of sown.ids['/media'] ?? []) await put('admin', `/media/${id}/download`, token)
  await put('nobody', '/auth/me', sown.signedOut)
  return answers
}

/** The values of an answer, without the time at which it was given. */
function bodyOf(path: string, { at, body, text }: Answer): unknown {
  if (path.includes('/download')) return text
  if (!text.startsWith('{')) return parse(text, { columns: true, bom: true })
  return { data: body.data, message: body.message, total: at('meta.pagination.total') }
}

/** Signs in with the passwords of before; gives the e-mail addresses that were refused. */
export async function refusedPasswords(address: string, sown: Sown): Promise<readonly string[]> {
  const desk = deskAt(address)
  const refused: string[] = []
  for (const { email } of Object.values(sown.people)) {
    const password = email === ADMIN.email ? ADMIN.password : PASSWORD
    const { status } = await desk.call('POST', '/auth/login', undefined, { email, password })
    if (status !== 200) refused.push(email)
  }
  return refused
}

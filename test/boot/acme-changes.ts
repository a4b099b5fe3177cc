/** Changes of the desk that an application on it may meet, each as what becomes of a text of a file. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** A change of the desk: what becomes of a text of a file, and the paths at which it shows. */
export interface Change {
  readonly file: string
  readonly from: string | RegExp
  readonly to: string
  readonly paths: readonly string[]
}

const change = (file: string, from: string | RegExp, to: string, ...paths: readonly string[]): Change => ({
  file,
  from,
  to,
  paths,
})

/** `text: null` is a file that goes. */
export const CHANGES: Readonly<Record<string, Change>> = {
  'a field is renamed that nobody extends': change(
    'organizations.yaml',
    /\bstate\b/g,
    'region',
    'organizations.region.type',
  ),
  'a field is renamed that is extended': change(
    'organizations.yaml',
    /\bzip\b/g,
    'postcode',
    'organizations.postcode.type',
  ),
  'a field is new': change(
    'contacts.yaml',
    'fields:\n',
    'fields:\n  nickname: { type: string, max: 40 }\n',
    'contacts.nickname',
  ),
  'a field is new that Acme has too': change(
    'tickets.yaml',
    'fields:\n',
    'fields:\n  order_number: { type: string, max: 99, label: Order }\n',
    'tickets.order_number.max',
  ),
  'a field is longer': change(
    'contacts.yaml',
    /phone:( *)\{ type: string, max: 50/,
    'phone:$1{ type: string, max: 60',
    'contacts.phone.max',
  ),
  'an extended field gets a bound': change(
    'tickets.yaml',
    /subject:( *)\{ type: string, required: true \}/,
    'subject:$1{ type: string, required: true, max: 70 }',
    'tickets.subject.max',
  ),
  'a field goes': change('notes.yaml', /^ {2}details: .*\n|, details/gm, '', 'notes.details'),
  'a replaced policy is stricter': change(
    'tickets.yaml',
    '{ role: customer, where: { user: $actor }, fields: [subject, details, priority_id, status_id] }',
    '{ role: customer, where: { user: $actor }, fields: [details] }',
    'tickets.policies.update',
  ),
  'a replaced policy is wider': change(
    'tickets.yaml',
    /^ {2}update:\n {4}- \{ permission: tickets.update \}\n/m,
    '  update:\n    - { permission: tickets.update }\n    - { role: agent }\n',
    'tickets.policies.update',
  ),
  'a policy is stricter': change(
    'faqs.yaml',
    /delete:( *)\[\{ permission: faqs.manage \}\]/,
    'delete:$1[{ permission: faqs.manage, where: { status: false } }]',
    'faqs.policies.delete',
  ),
  'a policy with words is stricter': change(
    'contacts.yaml',
    /delete:( *)\[\{ permission: contacts.delete \}\]/,
    'delete:$1[{ permission: contacts.delete, where: { phone: null } }]',
    'contacts.policies.delete.contacts.delete',
  ),
  'a clause is corrected below a narrowing': change(
    'tickets.yaml',
    '- { role: customer, where: { user: $actor } }',
    '- { role: customer, where: { user: $actor, subject: { null: false } } }',
    'tickets.policies.view.customer.where',
  ),
  'a sentence is corrected': change(
    'tickets.yaml',
    'The first response is before the time of creation',
    'The first response cannot be before the creation',
    'tickets.rules.first_response_after_creation.says',
  ),
  'a rule goes that Acme leaves out': change(
    'tickets.yaml',
    /^ {2}closed_means_closed:\n( {4}.*\n)+/m,
    '',
    'tickets.rules.closed_means_closed',
  ),
  'a search path goes that Acme leaves out': change(
    'tickets.yaml',
    'search:  [subject, uid, ',
    'search:  [subject, ',
    'tickets.search.uid',
  ),
  'a label is another one that Acme replaces': change(
    'organizations.yaml',
    'label: Organization',
    'label: Firm',
    'organizations.label',
  ),
  'a label is another one': change('contacts.yaml', /^label: .*$/m, 'label: Person', 'contacts.label'),
  'an option is another one that Acme replaces': change(
    'app.yaml',
    'token_days: 30',
    'token_days: 20',
    'plugins.auth.token_days',
  ),
  'an option is another one': change('app.yaml', 'job_rows: 2000', 'job_rows: 1500', 'plugins.csv.job_rows'),
  'a resource that Acme leaves out has another name': change(
    'posts.yaml',
    'resource: posts',
    'resource: news',
    'news.label',
  ),
  'a resource that Acme extends has another name': change(
    'faqs.yaml',
    'resource: faqs',
    'resource: questions',
    'questions.label',
  ),
  'a hook goes': change('ticket_comments.yaml', /^hooks:.*\n( {2}.*\n)*/m, '', 'ticket_comments.hooks'),
  'a seeded row is new': change(
    'statuses.yaml',
    '    - { slug: pending,',
    '    - { slug: parked, name: Parked, category: pending }\n    - { slug: pending,',
    'statuses.seeds.parked.name',
  ),
  'a seeded row is new that Acme has too': change(
    'statuses.yaml',
    '    - { slug: pending,',
    '    - { slug: at_workshop, name: Workshop, category: open }\n    - { slug: pending,',
    'statuses.seeds.at_workshop.category',
  ),
  'a plugin goes that Acme leaves out': change('app.yaml', /^ {2}demo: \{\}\n/m, '', 'plugins.demo'),
  'a filter is new that Acme has too': change(
    'faqs.yaml',
    /^search:/m,
    'filters: { product: name }\nsearch:',
    'faqs.filters.product',
  ),
}

/** The files of the desk after some changes, and those of the changes that made a difference. */
export function changedDesk(drawn: readonly string[]) {
  const texts = new Map<string, string>()
  const made = drawn.filter((name) => {
    const { file, from, to } = CHANGES[name]!
    const text = texts.get(file) ?? readFileSync(join('resources', file), 'utf8')
    const changed = text.replace(from, () =>
      to.replace('$1', typeof from === 'string' ? '$1' : (from.exec(text)?.[1] ?? '')),
    )
    texts.set(file, changed)
    const [was, is] = [text, changed].map((one) => /^resource: (\w+)/m.exec(one)?.[1])
    // The menu of the desk names its resources, so the desk changes with it.
    if (was !== undefined && was !== is) {
      const app = texts.get('app.yaml') ?? readFileSync('resources/app.yaml', 'utf8')
      const rest = is === undefined ? '(?:/\\w+)?(?:, )?' : '\\b'
      const renamed = (block: string) => block.replaceAll(new RegExp(`\\b${was}${rest}`, 'g'), is ?? '')
      texts.set('app.yaml', app.replace(/^console:[\s\S]*?\n\n/m, renamed))
    }
    return changed !== text
  })
  return { made, texts }
}

/** A mid-size application, as files: tickets and what they point at. */
export const DESK_FILES: Readonly<Record<string, string>> = {
  roles: `
fields:
  name: { type: string, required: true }
  slug: { type: slug, from: name, unique: true }
policies: { view: [{ who: signed_in }] }
actions: [list, get]
seeds: { key: slug, rows: [{ name: Customer, slug: customer }, { name: Agent, slug: agent }] }
`,
  users: `
fields:
  first_name: { type: string, required: true }
  email: { type: email, required: true, unique: true }
  password: { type: secret, required: true }
relations:
  role: { belongs_to: roles, required: true, embed: [id, name, slug] }
soft_delete: true
restore: true
policies: { view: [{ permission: users.view }] }
`,
  customers: `
of: users
where: { role.slug: customer }
fields:
  first_name: {}
  email:
  password: { required: false }
  tickets_count: { type: count, of: tickets }
relations:
  tickets: { has_many: tickets, by: user, embed: false }
policies: { view: [{ permission: users.view }] }
`,
  statuses: `
path: settings/statuses
fields:
  name: { type: string, required: true }
  slug: { type: slug, from: name, unique: true }
  is_default: { type: boolean, default: false, nullable: false }
soft_delete: true
cache: true
search: [name, slug]
policies: { view: [{ who: signed_in }] }
`,
  tickets: `
lookup: [id, uid]
fields:
  uid: { type: sequence, start: 3000000001 }
  subject: { type: string, required: true }
  details: { type: text, required: true }
  level: { type: enum, values: [low, high], default: low }
relations:
  status: { belongs_to: statuses, default: { is_default: true } }
  user: { belongs_to: users, embed: [id, first_name, { role_name: role.name }] }
  assignedTo: { belongs_to: users, column: assigned_to, where: { role.slug: { ne: customer } }, embed: [id, role] }
  comments: { has_many: ticket_comments, show: single, order: created_at }
  labels: { many_to_many: labels }
filters: [level, status.slug]
ranges: { date: created_at }
special: { type: desk.queue }
sort: { keys: [status.name], default: -created_at }
search: [subject, status.name]
soft_delete: true
restore: true
hooks: { update: [desk.stamp] }
policies:
  view: [{ permission: tickets.view }, { role: customer, where: { user: $actor } }]
  create: [{ role: customer, set: { user: $actor, status: { slug: open } }, fields: [subject, details, labels] }]
`,
  ticket_comments: `
fields:
  comment: { type: text, required: true }
  is_internal: { type: boolean, default: false, read: { permission: tickets.view } }
relations:
  ticket: { belongs_to: tickets, required: true, immutable: true }
  user: { belongs_to: users, read_only: true, embed: [id, first_name] }
nested: { ticket: { path: comments, actions: [list, create] } }
actions: []
policies: { view: [{ permission: tickets.view }], create: [{ permission: tickets.view }] }
`,
  labels:
    'fields: { name: { type: string, required: true } }\ntimestamps: false\npolicies: { view: [{ who: anyone }] }',
}

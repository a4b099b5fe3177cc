/** A large application as YAML files: many resources with many fields each, of every usual kind, linked to each other. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** What a field is, by its place among the fields of a resource; the last three of a resource are relations. */
const KINDS = [
  'type: string, required: true, max: 120',
  'type: string, unique: true, max: 40',
  'type: text',
  'type: integer, min: 0',
  'type: decimal, precision: 12, scale: 2',
  'type: boolean, default: false',
  'type: enum, values: [draft, open, done, dropped], default: draft',
  'type: date',
  'type: timestamp',
  'type: email',
  'type: url',
  'type: string, max: 255',
  'type: string, max: 60',
  'type: integer',
  'type: text, show: single',
  'type: list, of: string, max_items: 20',
]

const WORDS = ['name', 'code', 'notes', 'amount', 'price', 'active', 'state', 'day', 'moment', 'mail', 'page', 'title']

/** `resource_017`: the name of a resource by its number. */
export function largeName(number: number): string {
  return `resource_${String(number).padStart(3, '0')}s`
}

/** File name → YAML of an application with so many resources of so many fields, its app.yaml among them. */
export function largeApplication(resources: number, fields: number): Readonly<Record<string, string>> {
  const files: Record<string, string> = {
    'app.yaml':
      'name: Large\nprefix: /api\nplugins: { timestamps: {}, soft_delete: {}, mail: {}, auth: { roles: [admin, member] }, reference: {} }\n',
  }
  for (let number = 1; number <= resources; number += 1) files[`${largeName(number)}.yaml`] = resource(number, fields)
  return files
}

function resource(number: number, fields: number): string {
  const own = Array.from({ length: fields - 3 }, (_, place) => {
    const word = WORDS[place % WORDS.length]!
    return `  ${place < WORDS.length ? word : `${word}_${Math.floor(place / WORDS.length) + 1}`}: { ${KINDS[place % KINDS.length]} }`
  })
  const other = (step: number) => largeName(Math.max(1, number - step))
  return `resource: ${largeName(number)}
fields:
${own.join('\n')}
relations:
  parent: { belongs_to: ${other(1)}, embed: [id, name] }
  group:  { belongs_to: ${other(7)}, embed: [id, name, state] }
  owner:  { belongs_to: users, embed: [id, first_name, last_name] }
filters: [name, amount, day]
search: [name, code]
soft_delete: true
restore: true
policies:
  view:    [{ permission: ${largeName(number)}.view }, { role: member, where: { owner: $actor } }]
  create:  [{ permission: ${largeName(number)}.create }]
  update:  [{ permission: ${largeName(number)}.update }]
  delete:  [{ permission: ${largeName(number)}.delete }]
  restore: [{ permission: ${largeName(number)}.delete }]
`
}

/** The files of a large application in a folder of their own, until it is removed. */
export async function writeLargeApplication(
  resources: number,
  fields: number,
): Promise<{ readonly folder: string; remove(): Promise<void> }> {
  return writeFiles(largeApplication(resources, fields))
}

/** Files of YAML by name in a folder of their own, until it is removed. */
export async function writeFiles(
  files: Readonly<Record<string, string>>,
): Promise<{ readonly folder: string; remove(): Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'plinth-large-'))
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text)
  return { folder, remove: () => rm(folder, { recursive: true }) }
}

/** The texts that a new application begins with: the next steps, and a report on its database. */
import { visible } from '../../text/visible.ts'
import type { Adopted } from './from.ts'

function made(name: string, note: string | undefined): string {
  return `Made ${name}.${note === undefined ? '' : ` ${note}`}`
}

/** The command that goes to its folder, where that is another one. */
function enter(path: string): readonly string[] {
  return path === '' ? [] : [`cd ${/^[\w./-]+$/.test(path) ? path : JSON.stringify(path)}`]
}

function indented(lines: readonly string[]): readonly string[] {
  return lines.map((line) => `  ${line}`)
}

/** The steps for an application from the example; `path` is that of the folder from here. */
export function nextSteps(path: string, name: string, note: string | undefined): string {
  const steps = [
    ...enter(path),
    'npm install',
    'npm test          # the tests of its example',
    'npm run dev       # serves it at http://127.0.0.1:3000, and follows your changes',
  ]
  return [made(name, note), '', ...indented(steps), '', `Its README.md goes on from there.`].join('\n')
}

/** The steps for an application from a database, with everything that it cannot say exactly. */
export function nextStepsFrom(path: string, name: string, found: Adopted, note: string | undefined): string {
  const { served, remarks, database, own } = found
  const count = served.size === 1 ? '1 table' : `${served.size} tables`
  const steps = [
    ...enter(path),
    'npm install',
    'npm test                # who may see what, on tables of its own',
    'cp .env.example .env    # and write the password into its DATABASE_URL',
    'npm run dev             # serves it at http://127.0.0.1:3000, and follows your changes',
  ]
  return [
    `${made(name, note)} It serves ${count} of ${visible(database)}, which was only read.`,
    '',
    ...indented(steps),
    '',
    'Administrators alone may see and change what is served, until you write who else: policies, in each file of resources/.',
    `The first start changes no table that is there. It makes Plinth's own beside them: ${ownTables(own)}.`,
    ...(remarks.length === 0 ? [] : ['', 'Not taken over as it is:', ...indented(remarks)]),
    '',
    `Its README.md goes on from there${remarks.length === 0 ? '' : ', and has this list'}.`,
  ].join('\n')
}

function ownTables(own: readonly string[]): string {
  return `${own.map(visible).join(', ')} (accounts), and those that begin with plinth_; and it installs the extension pg_trgm, if that is not there`
}

/** The part of its README.md about the database. */
export function pageWords({ served, remarks, database, own }: Adopted): Readonly<Record<string, string>> {
  const rows = [...served].map(([table, resource]) => `| \`${table}\` | \`resources/${resource}.yaml\` |`)
  const list = remarks.map((line) => `- ${line.replace(/[<|*_]/g, '\\$&')}`)
  const told =
    list.length === 0
      ? 'Nothing of the database is left out.'
      : `This is not taken over as it is in the database:\n\n${list.join('\n')}`
  const example = [...served.values()][0] ?? ''
  return {
    database,
    example: example.replaceAll('_', '-'),
    own: ownTables(own.map((name) => `\`${name}\``)),
    served: `| table | file |\n|---|---|\n${rows.join('\n')}`,
    remarks: told,
  }
}

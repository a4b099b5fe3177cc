/** A command line without a process: what it said and how it ended, for tests. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { runCommandLine } from '../../engine/cli/run.ts'

export interface Ran {
  readonly code: number
  readonly said: string
  readonly complained: string
}

/** Runs a command line in this process with exactly this environment; nobody tells it to stop. */
export async function plinth(
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>> = {},
): Promise<Ran> {
  const said: string[] = []
  const complained: string[] = []
  const code = await runCommandLine(args, {
    env: { LOG_LEVEL: 'silent', ...env },
    say: (text) => void said.push(text),
    complain: (text) => void complained.push(text),
    color: false,
    stopped: new Promise(() => {}),
    onHangup: () => {},
  })
  return { code, said: said.join('\n'), complained: complained.join('\n') }
}

export interface Folder {
  readonly path: string
  write(name: string, text: string): void
  remove(): void
}

/** A folder of its own with these files. */
export function folder(files: Readonly<Record<string, string>>): Folder {
  const path = mkdtempSync(join(tmpdir(), 'plinth-cli-'))
  const write = (name: string, text: string): void => {
    mkdirSync(dirname(join(path, name)), { recursive: true })
    writeFileSync(join(path, name), text)
  }
  for (const [name, text] of Object.entries(files)) write(name, text)
  return { path, write, remove: () => rmSync(path, { recursive: true, force: true }) }
}

/** The smallest application that serves something. */
export const NOTES = {
  'resources/app.yaml': 'name: Notes\nversion: v1\nprefix: /api\nplugins: { timestamps: {} }\n',
  'resources/notes.yaml': `resource: notes
label: Note
fields:
  title: { type: string, required: true }
  stars: { type: integer, min: 1, max: 5 }
policies:
  view:   [{ who: anyone }]
  create: [{ who: anyone }]
  update: [{ who: anyone }]
  delete: [{ who: anyone }]
`,
} as const

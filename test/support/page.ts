/** A page of documentation as a test follows it: its blocks of code, and its commands sent and held against their answers. */
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import * as assert from 'uvu/assert'

/** The blocks of a language under a heading (before the first one without), without the indentation of lists. */
export function blocks(page: string, language: string, heading?: string): readonly string[] {
  const start = heading === undefined ? 0 : page.indexOf(`\n## ${heading}\n`)
  assert.ok(start >= 0, heading)
  const end = page.indexOf('\n## ', start + 1)
  const found = page.slice(start, end).matchAll(/^( *)```(\w*)\n([\s\S]*?)^ *```$/gm)
  return [...found].flatMap(([, margin, name, text]) =>
    name === language ? [(text ?? '').replaceAll(new RegExp(`^${margin}`, 'gm'), '')] : [],
  )
}

export interface Command {
  readonly command: string
  /** What the comment behind it says; `…` stands for anything. */
  readonly answer: string | undefined
}

/** The requests of a block. */
export function commands(block: string): readonly Command[] {
  return block
    .split(/^(?=curl )/m)
    .filter((part) => part.startsWith('curl '))
    .map((part) => {
      const [command, comment] = part.split(/^# /m)
      return { command: command!.trim(), answer: comment?.trim() }
    })
}

/** Sends a command of the page as a shell would; gives the status and body. */
export async function send(address: string, { command, answer }: Command, token = '', cwd = '.') {
  const elided = ` -H "authorization: Bearer $TOKEN" -H 'content-type: application/json'`
  const script = command
    .replaceAll(/'?localhost:3000/g, (found) => found.replace('localhost:3000', address))
    .replaceAll(/ …/g, elided)
    .replace('curl -s', `curl -s -w '\\n%{http_code}'`)
  const { stdout } = await promisify(execFile)('sh', ['-c', script], { env: { ...process.env, TOKEN: token }, cwd })
  const [, body = '', status = ''] = /^([\s\S]*)\n(\d+)$/.exec(stdout) ?? []
  if (answer !== undefined) {
    const expected = answer.replace(/^(?!\d{3} )/, '… ')
    assert.match(
      `${status} ${body}`,
      new RegExp(`^${expected.split('…').map(literal).join('[\\s\\S]*')}$`),
      `${command}\n${body}`,
    )
  } else assert.match(status, /^2/, `${command}\n${body}`)
  return { status: Number(status), body: JSON.parse(body) }
}

/** A text as the pattern that matches it alone. */
export function literal(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')
}

/** The desk's files with what tickets.yaml offers behind `#` switched on. */
import { readdirSync, readFileSync } from 'node:fs'

/** Switches automations on by their names; moments are looked for often. Throws where the file does not offer one. */
export function deskWith(...automations: readonly string[]): Readonly<Record<string, string>> {
  const names = readdirSync('resources').filter((name) => name.endsWith('.yaml'))
  const read = Object.fromEntries(names.map((name) => [name, readFileSync(`resources/${name}`, 'utf8')]))
  let tickets = read['tickets.yaml'] ?? ''
  for (const name of automations) {
    const offered = new RegExp(`^ {2}# ${name}:\\n(?: {2}#.*\\n)+`, 'm')
    if (!offered.test(tickets)) throw new Error(`tickets.yaml does not offer ${name}`)
    tickets = tickets.replace(offered, (block) => block.replace(/^ {2}# ?/gm, '  '))
  }
  return { ...read, 'tickets.yaml': tickets, 'app.yaml': `${read['app.yaml']}\nlimits: { automationPollMs: 100 }\n` }
}

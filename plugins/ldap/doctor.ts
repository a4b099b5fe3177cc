/** ⇄ What `plinth doctor` says of the directory: whether it answers, lets the application search, and has people. */
import type { Check, Finding } from '../../engine/index.ts'
import { directoryOf } from './options.ts'
import { searching } from './server.ts'

/** The check of the plugin. */
export const checkDirectory: Check = async ({ options, settings }) => {
  const directory = directoryOf(options)
  const password = settings.env.LDAP_PASSWORD ?? ''
  const findings: Finding[] = []
  if (directory.bind !== undefined && password === '')
    findings.push({
      level: 'problem',
      message: `${directory.label}: LDAP_PASSWORD is not set, so ${directory.bind} searches as nobody`,
      advice: 'set it to the password of that entry',
    })
  try {
    const some = await searching({ settings, directory }, (search) => search.any())
    findings.push(
      some
        ? { level: 'ok', message: `${directory.label}: ${directory.url} answers, and has people` }
        : {
            level: 'problem',
            message: `${directory.label}: ${directory.url} answers, and nobody below ${directory.base} may sign in`,
            advice: 'compare base and filter with an entry, as by ldapsearch',
          },
    )
  } catch (error) {
    findings.push({
      level: 'problem',
      message: `${directory.label}: ${directory.url} cannot be asked: ${error instanceof Error ? error.message : String(error)}`,
      advice:
        'look at the address, the certificate (NODE_EXTRA_CA_CERTS names that of an own authority) and the entry that searches',
    })
  }
  return findings
}

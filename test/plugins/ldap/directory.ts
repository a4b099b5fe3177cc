/** A directory for tests: OpenLDAP's own server, with people and groups that a test changes. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from 'ldapts'
import { freePort } from '../../support/port.ts'
import { until } from '../../support/wait.ts'

const SLAPD = ['/usr/sbin/slapd', '/usr/lib/openldap/slapd'].find(existsSync)

/** Why tests of directories are skipped; undefined where they run. */
export const without = SLAPD === undefined ? 'There is no slapd here: apt-get install slapd' : undefined

export const SUFFIX = 'dc=acme,dc=example'
export const PASSWORD = 'a password of the directory'
const ROOT = { dn: `cn=root,${SUFFIX}`, password: 'the secret of root' }

export interface Directory {
  readonly port: number
  readonly tlsPort: number
  /** The certificate that signed its own. */
  readonly ca: string
  /** Runs work as the one who may change everything. */
  change(work: (client: Client) => Promise<unknown>): Promise<void>
  /** Adds a person. */
  person(uid: string, more?: Readonly<Record<string, string | string[]>>): Promise<string>
  /** Adds a group, or makes these its members. */
  group(cn: string, members: readonly string[]): Promise<string>
  stop(): Promise<void>
  start(): Promise<void>
  close(): Promise<void>
}

const TREE: readonly (readonly [dn: string, entry: Record<string, string | string[]>])[] = [
  [SUFFIX, { objectClass: ['dcObject', 'organization'], dc: 'acme', o: 'Acme' }],
  [`ou=people,${SUFFIX}`, { objectClass: 'organizationalUnit', ou: 'people' }],
  [`ou=groups,${SUFFIX}`, { objectClass: 'organizationalUnit', ou: 'groups' }],
  [
    `cn=plinth,${SUFFIX}`,
    { objectClass: ['organizationalRole', 'simpleSecurityObject'], cn: 'plinth', userPassword: PASSWORD },
  ],
]

async function configuration(folder: string): Promise<string> {
  const schemas = ['core', 'cosine', 'inetorgperson', 'nis'].map((name) => `include /etc/ldap/schema/${name}.schema`)
  const [key, certificate] = [join(folder, 'key.pem'), join(folder, 'cert.pem')]
  const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1']
  const made = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-keyout', key, '-out', certificate]
  execFileSync('openssl', [...made, ...subject], { stdio: 'ignore' })
  await mkdir(join(folder, 'db'))
  return `${schemas.join('\n')}
modulepath /usr/lib/ldap
moduleload back_mdb
TLSCertificateFile ${certificate}
TLSCertificateKeyFile ${key}
database mdb
suffix "${SUFFIX}"
rootdn "${ROOT.dn}"
rootpw "${ROOT.password}"
directory ${join(folder, 'db')}
maxsize 10485760
access to attrs=userPassword by anonymous auth by * none
access to * by dn.exact="cn=plinth,${SUFFIX}" read by * none
`
}

function works(work: Promise<unknown>): Promise<boolean> {
  return work.then(
    () => true,
    () => false,
  )
}

/** Starts a directory with nobody in it. */
export async function openDirectory(): Promise<Directory> {
  const folder = await mkdtemp(join(tmpdir(), 'plinth-slapd-'))
  const [port, tlsPort] = [await freePort(), await freePort()]
  const file = join(folder, 'slapd.conf')
  await writeFile(file, await configuration(folder))
  let child: ChildProcess
  const client = () => new Client({ url: `ldap://127.0.0.1:${port}`, timeout: 5_000 })
  const change: Directory['change'] = async (work) => {
    const one = client()
    try {
      await one.bind(ROOT.dn, ROOT.password)
      await work(one)
    } finally {
      await one.unbind()
    }
  }
  const directory: Directory = {
    port,
    tlsPort,
    ca: join(folder, 'cert.pem'),
    change,
    async person(uid, more = {}) {
      const dn = `uid=${uid},ou=people,${SUFFIX}`
      const own = { objectClass: 'inetOrgPerson', uid, cn: `${uid} Reed`, givenName: uid, sn: 'Reed' }
      const entry = { ...own, mail: `${uid}@acme.example`, userPassword: PASSWORD, ...more }
      await change((one) => one.add(dn, entry))
      return dn
    },
    async group(cn, members) {
      const dn = `cn=${cn},ou=groups,${SUFFIX}`
      await change(async (one) => {
        await one.del(dn).catch(() => undefined)
        await one.add(dn, { objectClass: 'groupOfNames', cn, member: [...members] })
      })
      return dn
    },
    async start() {
      const addresses = `ldap://127.0.0.1:${port} ldaps://127.0.0.1:${tlsPort}`
      child = spawn(SLAPD!, ['-f', file, '-h', addresses, '-d', '0'], { stdio: 'ignore' })
      await until(() => works(change(async () => undefined)))
    },
    async stop() {
      const ended = new Promise((resolve) => child.once('exit', resolve))
      child.kill()
      await ended
    },
    async close() {
      await directory.stop()
      await rm(folder, { recursive: true, force: true })
    },
  }
  await directory.start()
  await change(async (one) => {
    for (const [dn, entry] of TREE) await one.add(dn, entry)
  })
  return directory
}

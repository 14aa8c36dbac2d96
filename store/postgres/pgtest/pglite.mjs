// A PostgreSQL with pgvector that needs no installation: PGlite on a loopback port. It prints its address and runs until
// its input ends. `npm install @electric-sql/pglite @electric-sql/pglite-socket @electric-sql/pglite-pgvector` first, in
// the folder that PLUMB_TEST_PGLITE names.
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

const require = createRequire(join(process.argv[2], 'package.json'))
const load = (name) => import(pathToFileURL(require.resolve(name)).href)
const { PGlite } = await load('@electric-sql/pglite')
const { PGLiteSocketServer } = await load('@electric-sql/pglite-socket')
const { vector } = await load('@electric-sql/pglite-pgvector')

const db = await PGlite.create({ extensions: { vector } })
const server = new PGLiteSocketServer({ db, port: 0, host: '127.0.0.1', maxConnections: 4 })
server.addEventListener('listening', (e) => console.log(`postgres://postgres@127.0.0.1:${e.detail.port}/postgres?sslmode=disable&connect_timeout=60`))
await server.start()
process.stdin.on('end', () => process.exit(0)).resume()

import { connect, Empty } from 'nats';
import { Client } from 'pg';

/**
 * The minimal path of a job: receive the notification of a commit, read, publish to a stream; then receive the claim and
 * commit.
 */
const [nats = '', postgres = ''] = process.argv.slice(2);
const nc = await connect({ servers: nats });
const [relay, claims] = [new Client({ connectionString: postgres }), new Client({ connectionString: postgres })];
await Promise.all([relay.connect(), claims.connect()]);
relay.on('notification', () => {
  void relay
    .query({ name: 'read', text: 'select n from bare_hop' })
    .then(({ rows }) => nc.publish('hops.ticket', JSON.stringify(rows[0])));
});
nc.subscribe('hops.claim', {
  callback: (_err, msg) => {
    void claims.query({ name: 'claim', text: 'update bare_hop set n = n + 1' }).then(() => msg.respond(Empty));
  },
});
await relay.query('listen bare_hop');
await nc.flush();
console.log('ready');

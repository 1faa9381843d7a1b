"""What each word of a line, its label or its heading adds to the log-odds that it is worth keeping.

``bench/fit_statements.py`` fitted it (logistic regression, L2) on 41,944 lines of daily logs
of 97 public workspaces, 4,347 of them worth keeping; how well it does on a workspace that was
not in the fit is measured by ``bench/bench_consolidate.py --held-out``.

Invariant: no word is a name (`bench/fit_statements.py` leaves out what is mostly
capitalized); a word that is not here counts nothing.
"""

_TABLE = """\
w.a -0.021 w.about -0.131 w.accepted 0.318 w.access 0.058 w.accessible -0.124 w.account -0.391 w.accuracy 0.122
w.across -0.169 w.action -0.404 w.actionable 0.139 w.activation -0.167 w.active -0.424 w.activity -0.194
w.actual 0.179 w.actually -0.378 w.add -0.371 w.added 0.165 w.address -0.209 w.admin 0.1 w.after -0.162
w.again -0.133 w.against -0.114 w.agent 0.299 w.agents 0.05 w.alert -0.166 w.all -0.295 w.allowlist 0.102
w.already -0.337 w.also 0.133 w.always 0.368 w.am 0.121 w.an 0.09 w.analysis -0.144 w.and -0.077 w.angle -0.203
w.announce 0.184 w.app -0.145 w.approach -0.256 w.approval 0.24 w.architecture -0.12 w.are 0.12 w.around -0.112
w.article -0.117 w.articles 0.11 w.artifacts 0.1 w.as 0.285 w.ask 0.158 w.asked -0.477 w.at 0.253
w.attempted -0.232 w.audit -0.119 w.auth -0.094 w.authentication -0.164 w.autonomous 0.22 w.avoid -0.116
w.awaiting -0.234 w.b 0.145 w.backend 0.103 w.background 0.13 w.backlog -0.101 w.backup 0.207 w.balance -0.131
w.base -0.161 w.baseline -0.098 w.basic -0.191 w.batch -0.311 w.be 0.142 w.because 0.072 w.been 0.151
w.before 0.219 w.behavior -0.184 w.best 0.11 w.between 0.082 w.bin -0.318 w.binary 0.371 w.bird 0.157
w.blocked -0.282 w.blocks 0.218 w.blog -0.234 w.board 0.103 w.bot 0.508 w.both -0.404 w.brief 0.109
w.briefing 0.183 w.briefs 0.167 w.broken 0.142 w.browser 0.415 w.build 0.197 w.builds -0.16 w.built -0.245
w.business 0.13 w.but -0.557 w.buy -0.207 w.by 0.184 w.call -0.1 w.can 0.169 w.candidate -0.122 w.cannot 0.119
w.cap -0.153 w.capabilities -0.2 w.capture -0.18 w.captured 0.32 w.card -0.144 w.cards -0.148 w.case -0.13
w.category -0.16 w.cause 0.431 w.caused 0.199 w.causes 0.173 w.chain -0.107 w.change 0.219 w.channel 0.272
w.channels 0.252 w.chat -0.308 w.check -0.379 w.checked -0.344 w.checking 0.154 w.cleaned -0.142 w.cleanup -0.214
w.clear -0.158 w.client -0.264 w.closed 0.109 w.code -0.074 w.coding 0.218 w.color -0.173 w.columns 0.15
w.com 0.206 w.command 0.078 w.commands 0.161 w.commit -0.123 w.commits 0.113 w.committed -0.082 w.companies -0.175
w.complete -0.149 w.completed -0.219 w.complex 0.393 w.components -0.245 w.comprehensive -0.219 w.config 0.292
w.confirmation 0.15 w.connect -0.151 w.consistent -0.145 w.consolidation -0.124 w.container 0.281
w.containers 0.225 w.content -0.086 w.context -0.26 w.continuity -0.218 w.contracts -0.114 w.controls -0.164
w.core -0.075 w.correct 0.176 w.corrected -0.241 w.could -0.225 w.count -0.244 w.create 0.113 w.created -0.034
w.creation 0.099 w.critical -0.252 w.cron 0.129 w.crons -0.286 w.current 0.139 w.currently -0.087 w.customers 0.142
w.d 0.339 w.daily 0.037 w.dashboard 0.074 w.data -0.35 w.database -0.168 w.day -0.114 w.de 0.128 w.deadline -0.196
w.decision -0.144 w.deep 0.204 w.delete -0.096 w.delivery 0.121 w.deploy 0.097 w.design 0.106 w.despite -0.185
w.detection -0.128 w.dev 0.53 w.developer 0.158 w.did -0.128 w.digital 0.145 w.dir 0.256 w.direct 0.361
w.directly 0.193 w.directory -0.167 w.disabled -0.094 w.discovered 0.254 w.display -0.132 w.do 0.1 w.doc 0.12
w.docs -0.242 w.document -0.196 w.documentation -0.144 w.documented 0.294 w.doesn't 0.496 w.domain 0.397
w.domains 0.212 w.don't 0.437 w.done 0.214 w.down -0.191 w.download 0.187 w.drafts 0.144 w.driver 0.157
w.due -0.234 w.duration -0.124 w.during -0.302 w.e 0.178 w.earlier 0.205 w.early -0.165 w.edit -0.206 w.edits 0.2
w.em 0.22 w.email -0.064 w.emails 0.252 w.empty -0.175 w.en -0.139 w.enable -0.186 w.enabled -0.097
w.endpoint -0.268 w.endpoints -0.367 w.engine -0.148 w.environment 0.192 w.error -0.092 w.errors 0.297
w.established 0.341 w.et 0.119 w.etc -0.073 w.even 0.35 w.every 0.52 w.everything 0.192 w.evidence -0.141
w.example -0.354 w.exec 0.1 w.execute -0.153 w.executed -0.283 w.execution 0.063 w.exist -0.129 w.existed -0.145
w.expanded -0.145 w.experience 0.129 w.expired -0.153 w.explicitly 0.089 w.external -0.154 w.extracted -0.128
w.extraction -0.088 w.f -0.061 w.facts -0.157 w.fail 0.134 w.failed -0.154 w.failing -0.189 w.fails -0.254
w.failures 0.147 w.false 0.1 w.family -0.168 w.fast 0.211 w.feature -0.111 w.features -0.299 w.fee -0.215
w.feed -0.206 w.feedback -0.142 w.files 0.248 w.filter 0.129 w.filtering -0.199 w.final 0.069 w.find -0.125
w.finding -0.22 w.fine 0.183 w.first -0.073 w.fix -0.075 w.fixed -0.264 w.fixes -0.084 w.flag 0.287
w.flagged -0.096 w.flow -0.293 w.folder 0.141 w.follow-up 0.097 w.for -0.052 w.form -0.191 w.format 0.337
w.found -0.097 w.foundation -0.161 w.framework -0.133 w.free 0.546 w.fresh -0.17 w.from 0.196 w.frontend -0.164
w.full -0.096 w.fully -0.23 w.function 0.162 w.future -0.234 w.gap -0.157 w.gaps -0.145 w.gates -0.162
w.gateway 0.198 w.gb 0.416 w.general 0.107 w.generated -0.147 w.generation 0.155 w.gets 0.184 w.guidance -0.123
w.h -0.129 w.handles 0.321 w.hardening -0.172 w.have 0.119 w.he 0.183 w.health 0.048 w.healthy -0.262
w.heartbeat 0.055 w.hero -0.179 w.high -0.182 w.his 0.347 w.hold -0.125 w.home -0.125 w.host 0.172 w.hour -0.204
w.hours -0.066 w.how -0.366 w.identity -0.097 w.idle -0.171 w.if -0.631 w.image 0.14 w.images 0.167
w.immediate 0.151 w.impact -0.144 w.implement -0.163 w.implementation -0.228 w.import 0.238 w.important 0.194
w.in 0.272 w.inbound -0.137 w.inbox 0.135 w.including 0.126 w.index 0.105 w.info -0.135 w.infrastructure -0.181
w.initially 0.187 w.inline -0.163 w.input -0.157 w.insights -0.253 w.install -0.141 w.installed 0.143
w.instead 0.091 w.instruction 0.167 w.integration -0.236 w.interaction -0.133 w.internal -0.174 w.into -0.102
w.investigate -0.16 w.is -0.05 w.isolated 0.352 w.issues -0.066 w.it's -0.147 w.items -0.216 w.job -0.208
w.jobs 0.095 w.jpg -0.193 w.just 0.308 w.k 0.141 w.key -0.039 w.keys 0.207 w.keyword -0.149 w.knowledge -0.176
w.l -0.191 w.labels -0.168 w.last -0.079 w.later 0.143 w.launch -0.093 w.layer 0.192 w.learn -0.136
w.learnings 0.123 w.ledger -0.208 w.lesson 0.512 w.level 0.269 w.lib -0.191 w.like -0.258 w.likely -0.123
w.list -0.298 w.live 0.241 w.load -0.326 w.loaded -0.158 w.loading -0.128 w.local 0.177 w.locally 0.131
w.location 0.083 w.locked 0.228 w.log 0.138 w.logic -0.236 w.login -0.127 w.long -0.173 w.longer 0.119
w.loop -0.321 w.loss -0.137 w.lost -0.18 w.low -0.153 w.m -0.119 w.macos 0.257 w.maintenance 0.125
w.management -0.15 w.mandatory 0.232 w.manual 0.356 w.manually 0.289 w.mapping -0.146 w.market -0.28
w.marketing 0.188 w.markets -0.12 w.max 0.216 w.may -0.064 w.memory -0.224 w.merge 0.139 w.messages -0.17
w.metadata -0.207 w.min 0.233 w.mismatch -0.264 w.missing -0.326 w.mission-control -0.331 w.mit 0.195 w.mo 0.302
w.mode 0.18 w.model 0.2 w.models 0.143 w.modified -0.162 w.module 0.136 w.momentum -0.158 w.monitor -0.132
w.monitoring -0.236 w.monthly 0.136 w.more -0.115 w.morning 0.225 w.move 0.191 w.ms -0.257 w.multi-agent -0.197
w.must 0.303 w.my -0.087 w.n 0.273 w.name 0.209 w.named 0.192 w.names 0.108 w.native 0.127 w.need -0.193
w.needed -0.161 w.needs -0.488 w.net -0.427 w.network -0.191 w.new -0.12 w.news 0.149 w.next -0.12 w.nginx 0.135
w.no -0.279 w.node 0.299 w.noise -0.204 w.not 0.168 w.note 0.304 w.notes -0.119 w.nothing -0.153
w.notifications 0.113 w.now 0.153 w.npm -0.232 w.npx 0.204 w.o 0.362 w.of -0.193 w.old 0.086 w.on 0.168
w.once -0.152 w.one 0.217 w.only -0.104 w.open 0.066 w.operational -0.287 w.ops -0.136 w.optimization -0.119
w.option 0.189 w.or -0.256 w.order 0.133 w.org 0.136 w.other 0.092 w.out 0.227 w.outreach 0.262 w.over 0.191
w.overlay 0.182 w.overnight -0.194 w.owner 0.268 w.p -0.213 w.page -0.344 w.pages 0.127 w.paid 0.18 w.panel -0.17
w.parent 0.31 w.parsing -0.168 w.partner 0.156 w.pass -0.166 w.passed -0.165 w.password -0.276 w.path -0.063
w.paths -0.149 w.pattern -0.132 w.patterns -0.297 w.pending -0.418 w.per -0.127 w.performance -0.122
w.permission 0.29 w.permissions -0.226 w.personal 0.133 w.photo -0.205 w.photos -0.216 w.pipeline 0.156
w.planned -0.154 w.platform -0.14 w.playbook -0.175 w.plugin -0.121 w.plus 0.148 w.point 0.173 w.policy 0.168
w.polish -0.205 w.port 0.128 w.portfolio 0.081 w.positions -0.245 w.posted -0.207 w.posts 0.131 w.potential -0.171
w.preference 0.369 w.prefers 0.418 w.prep -0.138 w.present -0.347 w.preserved -0.237 w.prevent 0.306
w.preview -0.224 w.price -0.253 w.priority 0.061 w.problem 0.123 w.process 0.122 w.processes 0.18 w.product 0.102
w.production 0.121 w.profile 0.328 w.progress -0.21 w.projects 0.241 w.promotion 0.31 w.prompt -0.11
w.prompts -0.122 w.proof -0.182 w.properly -0.141 w.protocol -0.149 w.provided -0.188 w.provider 0.102
w.proxy 0.466 w.public 0.173 w.published 0.125 w.purpose -0.18 w.push 0.187 w.pushed -0.154 w.py 0.059 w.q -0.25
w.query -0.201 w.question 0.148 w.queue -0.23 w.quota 0.144 w.qwen 0.142 w.r 0.135 w.ran -0.409 w.range -0.144
w.rather -0.311 w.raw 0.176 w.read 0.066 w.ready -0.199 w.real -0.046 w.reasoning 0.282 w.received -0.145
w.recent -0.283 w.recommendation -0.193 w.recommended -0.195 w.red -0.219 w.redacted -0.188 w.reference 0.261
w.references 0.19 w.refresh 0.094 w.reliability 0.214 w.reliable 0.217 w.remain 0.249 w.remaining -0.273
w.remote 0.259 w.remove 0.125 w.removed -0.155 w.renamed 0.261 w.renders -0.172 w.replies 0.288 w.reply 0.083
w.repo 0.339 w.reported -0.113 w.repos 0.15 w.requests 0.11 w.requirement 0.158 w.requires 0.134 w.reset 0.305
w.resolution -0.349 w.resources -0.205 w.restart -0.124 w.restarted -0.194 w.restarts 0.182 w.restore 0.172
w.result -0.263 w.results 0.165 w.returned -0.207 w.returns -0.124 w.reverted -0.173 w.review -0.289 w.risk 0.044
w.role 0.154 w.roles 0.149 w.rollback -0.435 w.root 0.438 w.routes -0.155 w.routine 0.174 w.routing 0.082
w.rule 0.701 w.run -0.083 w.running -0.153 w.runtime -0.218 w.safe 0.153 w.safety 0.134 w.sales -0.141
w.same -0.151 w.sample -0.14 w.sandbox 0.123 w.save 0.158 w.saved 0.07 w.say 0.188 w.says -0.139 w.scale -0.132
w.scheduled -0.183 w.schema 0.099 w.schemas -0.165 w.scope 0.2 w.score 0.144 w.scores -0.163 w.screen -0.158
w.script 0.151 w.scripts 0.095 w.second 0.215 w.secret 0.163 w.secrets 0.139 w.section -0.209 w.sections -0.178
w.security -0.263 w.see -0.245 w.selection -0.265 w.send 0.085 w.sends 0.142 w.separate 0.22 w.sequence -0.172
w.server 0.153 w.service -0.127 w.services 0.121 w.session 0.265 w.sessions -0.062 w.setup -0.239 w.sh 0.366
w.shell -0.112 w.showed -0.17 w.showing -0.134 w.shows -0.391 w.sidebar -0.171 w.signal -0.313 w.silent 0.178
w.simple 0.276 w.since -0.305 w.skill -0.21 w.slow -0.255 w.small 0.171 w.smart -0.117 w.snapshot 0.094 w.so -0.398
w.software 0.253 w.solution 0.394 w.source 0.154 w.sources 0.131 w.specialist -0.207 w.specific -0.188 w.specs 0.13
w.src -0.214 w.stable -0.084 w.stack 0.088 w.start -0.175 w.started -0.082 w.starting 0.181 w.startup 0.148
w.state -0.226 w.stats -0.122 w.status -0.178 w.step -0.236 w.still -0.437 w.stock 0.124 w.stop -0.149
w.storage 0.231 w.stored 0.331 w.stories 0.158 w.strategic 0.139 w.strategy -0.26 w.structure -0.208 w.style 0.282
w.styling -0.189 w.sub-agents 0.22 w.subagent 0.127 w.subagents 0.198 w.submitted -0.171 w.succeeded 0.218
w.success 0.108 w.successful -0.158 w.successfully -0.086 w.supports -0.256 w.switch 0.22 w.switched 0.158
w.symbol -0.286 w.sync 0.12 w.system -0.367 w.systemd -0.162 w.t 0.097 w.tags 0.164 w.taken 0.157 w.target 0.141
w.task -0.177 w.tasks 0.182 w.team -0.131 w.tech 0.471 w.technical 0.13 w.templates -0.35 w.test -0.443
w.testing -0.282 w.tests -0.15 w.text -0.125 w.than -0.13 w.that 0.062 w.that's -0.182 w.the -0.115 w.their 0.255
w.then 0.389 w.these -0.116 w.thesis -0.338 w.they -0.264 w.things 0.278 w.think -0.167 w.this -0.163
w.three -0.278 w.threshold 0.212 w.through -0.298 w.tier 0.158 w.time -0.053 w.timed -0.174 w.timeline -0.099
w.times -0.161 w.timestamp -0.238 w.timezone 0.345 w.title 0.194 w.today -0.161 w.today's -0.266 w.token -0.041
w.tokens 0.181 w.too 0.332 w.tool 0.107 w.tools 0.138 w.top -0.21 w.total -0.137 w.track -0.147 w.tracking -0.139
w.trading -0.118 w.transaction -0.187 w.transactions -0.152 w.treated -0.174 w.tried -0.145 w.triggered -0.191
w.true 0.205 w.truth 0.258 w.tsx -0.089 w.two 0.131 w.txt -0.175 w.type -0.208 w.types -0.191 w.unchanged -0.175
w.unless 0.112 w.unread -0.168 w.until 0.17 w.up -0.079 w.update -0.261 w.upgrade -0.092 w.upgraded -0.158
w.usage -0.093 w.use 0.438 w.user 0.235 w.users 0.148 w.uses 0.197 w.using 0.116 w.v -0.081 w.valid 0.244
w.validated -0.122 w.validation -0.37 w.value -0.138 w.vault 0.381 w.verdict -0.368 w.verification -0.466
w.verified -0.205 w.verify -0.107 w.version -0.483 w.versions -0.175 w.via 0.142 w.video 0.106 w.videos 0.112
w.visible -0.246 w.vision 0.198 w.voice -0.156 w.vs -0.498 w.wait 0.139 w.waiting -0.205 w.wants 0.433
w.warning 0.122 w.was 0.191 w.watch -0.11 w.watchdog -0.114 w.we -0.154 w.web 0.37 w.webhook -0.232 w.week -0.254
w.were -0.207 w.what -0.28 w.when 0.312 w.why -0.418 w.will -0.086 w.window -0.149 w.with -0.286 w.without -0.117
w.work 0.152 w.workaround 0.385 w.workflows -0.22 w.working 0.14 w.works 0.145 w.workspace 0.123 w.would 0.116
w.wrapper -0.232 w.write 0.235 w.wrong -0.117 w.wrote 0.2 w.x 0.38 w.y 0.205 w.year 0.162 w.yes -0.137 w.yet -0.532
w.you -0.198 w.you're -0.141 w.zero 0.306 w.zone 0.185 w.今日 -0.132 w.价格 -0.081 w.任务 -0.23 w.优先 0.254 w.信号 -0.136
w.修复 -0.2 w.关键 0.179 w.内容 0.113 w.功能 -0.158 w.原因 0.173 w.命令 0.178 w.备份 -0.115 w.失败 0.134 w.存在 -0.156 w.学习 -0.193
w.完成 -0.14 w.完整 0.177 w.工具 0.118 w.市场 0.118 w.当前 0.149 w.成本 0.17 w.所有 0.434 w.执行 -0.063 w.技术 -0.113 w.技能 0.105
w.持续 -0.171 w.推送 0.259 w.操作 0.115 w.支持 -0.148 w.文件 0.126 w.方向 0.165 w.方案 0.124 w.时间 -0.121 w.智能 -0.113 w.本地 0.228
w.机制 -0.126 w.框架 -0.105 w.检查 0.201 w.正常 -0.087 w.每天 0.189 w.状态 -0.282 w.用户 0.105 w.直接 0.344 w.确认 0.346 w.管理 0.112
w.结论 0.217 w.自动 0.079 w.设置 0.198 w.资金 0.12 w.超时 -0.113 w.运行 -0.122 w.通知 -0.13 w.配置 -0.086 w.问题 0.077 w.需要 -0.123
w.项目 -0.124 wh.a -0.161 wh.access 0.454 wh.account 0.141 wh.accounts 0.239 wh.action -0.296 wh.actions -0.435
wh.activity 0.122 wh.added -0.076 wh.after 0.117 wh.afternoon -0.06 wh.agents 0.07 wh.all 0.059 wh.am -0.205
wh.analysis -0.467 wh.and -0.495 wh.app -0.297 wh.applied -0.272 wh.approved 0.279 wh.audit -0.252 wh.b -0.361
wh.backup 0.177 wh.batch -0.136 wh.blocked -0.128 wh.blocker -0.165 wh.bot 0.125 wh.brief 0.189 wh.browser 0.1
wh.bug -0.278 wh.build -0.166 wh.built -0.189 wh.business -0.185 wh.c -0.196 wh.cause 0.307 wh.changes -0.114
wh.check -0.12 wh.cleanup -0.364 wh.code -0.381 wh.commits -0.139 wh.communication 0.449 wh.complete 0.227
wh.completed -0.058 wh.config 0.151 wh.configuration -0.258 wh.confirmed 0.389 wh.content -0.352 wh.context 0.519
wh.conversation -0.131 wh.core -0.09 wh.cost 0.129 wh.created -0.261 wh.critical -0.11 wh.cron -0.36
wh.current 0.161 wh.daily 0.289 wh.dashboard -0.288 wh.day -0.095 wh.decision 0.108 wh.decisions 0.24
wh.delivered -0.109 wh.deploy 0.232 wh.deployed -0.307 wh.design 0.088 wh.discovery 0.561 wh.do 0.296
wh.docs -0.279 wh.documentation -0.384 wh.done -0.143 wh.e 0.342 wh.email -0.137 wh.end 0.115 wh.established 0.788
wh.evening -0.135 wh.execution -0.139 wh.feature -0.162 wh.features -0.266 wh.feedback 0.48 wh.files -0.175
wh.final 0.061 wh.findings -0.497 wh.first 0.226 wh.fix -0.201 wh.fixed 0.259 wh.for -0.166 wh.from 0.126
wh.full -0.238 wh.gateway 0.135 wh.git 0.074 wh.happened 0.181 wh.health -0.366 wh.heartbeat -0.447 wh.i -0.164
wh.identified -0.216 wh.identity 0.242 wh.immediate -0.129 wh.implementation -0.164 wh.implemented -0.12
wh.in -0.059 wh.infrastructure 0.252 wh.insight -0.094 wh.insights -0.245 wh.installed -0.269 wh.integration -0.123
wh.is -0.143 wh.issue -0.273 wh.issues -0.167 wh.items -0.289 wh.job 0.471 wh.jobs 0.406 wh.knowledge -0.253
wh.late 0.055 wh.learned 0.305 wh.learnings 0.411 wh.lessons 0.107 wh.live -0.189 wh.log -0.406 wh.made 0.246
wh.major -0.063 wh.management -0.134 wh.market 0.07 wh.memory -0.072 wh.migration 0.416 wh.mobile -0.105
wh.model 0.197 wh.modified -0.087 wh.monitor -0.207 wh.monitoring 0.234 wh.morning -0.351 wh.next -0.259
wh.night -0.36 wh.no -0.168 wh.note -0.287 wh.notes 0.708 wh.observations 0.177 wh.of -0.366 wh.open 0.236
wh.other -0.177 wh.overnight -0.27 wh.p -0.227 wh.path -0.394 wh.pattern 0.285 wh.pending 0.062 wh.personal 0.303
wh.plan -0.112 wh.priority -0.129 wh.product 0.339 wh.progress 0.183 wh.project -0.254 wh.protocol -0.099
wh.queue -0.306 wh.real 0.151 wh.remaining -0.21 wh.reminder 0.555 wh.repo 0.155 wh.report 0.072 wh.required -0.143
wh.research -0.311 wh.resolved 0.341 wh.results 0.106 wh.review -0.403 wh.role 0.281 wh.root 0.41 wh.rule 0.267
wh.rules 0.204 wh.run -0.28 wh.scripts -0.253 wh.search 0.431 wh.security 0.175 wh.sent -0.226 wh.skill -0.147
wh.skills -0.231 wh.solution 0.095 wh.state 0.257 wh.stats -0.127 wh.status -0.449 wh.steps -0.095
wh.strategic 0.153 wh.strategy 0.285 wh.structure 0.249 wh.sub-agent 0.099 wh.summary 0.126 wh.sync -0.115
wh.system -0.243 wh.task -0.354 wh.tasks -0.291 wh.team 0.232 wh.the -0.128 wh.this -0.651 wh.timeline -0.258
wh.to -0.295 wh.today 0.156 wh.today's -0.185 wh.tomorrow -0.1 wh.tool 0.132 wh.tools -0.542 wh.top -0.295
wh.total -0.155 wh.tracking 0.154 wh.trading -0.38 wh.update 0.272 wh.updated 0.367 wh.updates 0.257
wh.upgrade 0.22 wh.usage 0.259 wh.user 0.132 wh.v 0.045 wh.validation 0.151 wh.verification -0.287
wh.verified -0.202 wh.voice 0.104 wh.vs 0.116 wh.was -0.137 wh.week -0.236 wh.weekly -0.153 wh.what -0.285
wh.what's -0.245 wh.why -0.351 wh.with 0.171 wh.workflow 0.405 wh.working 0.084 wh.workspace -0.255 wh.x -0.141
wh.今日 -0.152 wh.任务 -0.091 wh.信息 0.282 wh.修复 0.134 wh.关注 -0.123 wh.关键 -0.124 wh.内容 0.236 wh.分析 -0.169 wh.发现 0.082
wh.完成 0.296 wh.工具 -0.128 wh.待办 -0.113 wh.技能 -0.059 wh.文件 -0.144 wh.更新 0.193 wh.核心 -0.085 wh.检查 -0.277 wh.状态 -0.267
wh.用户 0.889 wh.记录 0.124 wh.配置 -0.166 wh.重要 0.383 wh.问题 0.336 wl.account 0.141 wl.action -0.086 wl.agent -0.176
wl.applied 0.186 wl.at -0.202 wl.bug -0.225 wl.build -0.142 wl.c -0.169 wl.cause 0.245 wl.check -0.165
wl.confirmed 0.141 wl.created -0.259 wl.cron -0.131 wl.current -0.098 wl.decision 0.381 wl.expected -0.24
wl.from 0.129 wl.heartbeat -0.158 wl.in 0.212 wl.issue 0.169 wl.lesson 0.658 wl.location 0.183 wl.model 0.227
wl.needed -0.139 wl.new 0.212 wl.next -0.162 wl.pattern 0.259 wl.pending -0.135 wl.recommendation -0.157
wl.repo 0.184 wl.review -0.151 wl.root 0.364 wl.rule 0.207 wl.session -0.085 wl.solution 0.284 wl.source -0.286
wl.status -0.269 wl.step -0.159 wl.strategy 0.14 wl.task -0.1 wl.time -0.17 wl.update 0.175 wl.user 0.163
wl.verification -0.128 wl.working 0.176 wl.文件 0.164 wl.时间 -0.1 wl.检查 0.101 wl.状态 -0.091 wl.用户 0.17
"""
"""Feature and weight in turn; ``w.`` word of the text, ``wl.`` of its label, ``wh.`` of its heading."""


def _parse() -> dict[str, float]:
    fields = _TABLE.split()
    return {name: float(weight) for name, weight in zip(fields[::2], fields[1::2], strict=True)}


WORD_WEIGHTS = _parse()

-: host/procedure/procedure.h host/include/phasebench/procedure.h \
 host/include/phasebench/api.h host/include/phasebench/error.h \
 host/include/phasebench/scenario.h host/include/phasebench/budget.h \
 host/include/phasebench/network.h host/include/phasebench/fault.h \
 rtl/proto/gen/pb_regs.h host/include/phasebench/traffic.h \
 host/include/phasebench/device.h host/include/phasebench/event.h \
 host/include/phasebench/rig.h host/include/phasebench/record.h \
 host/include/phasebench/run.h host/include/phasebench/calibration.h \
 host/include/phasebench/result.h host/include/phasebench/cube.h \
 host/include/phasebench/measurement.h host/include/phasebench/tdc.h \
 host/include/phasebench/transmission.h
host/include/phasebench/procedure.h:
host/include/phasebench/api.h:
host/include/phasebench/error.h:
host/include/phasebench/scenario.h:
host/include/phasebench/budget.h:
host/include/phasebench/network.h:
host/include/phasebench/fault.h:
rtl/proto/gen/pb_regs.h:
host/include/phasebench/traffic.h:
host/include/phasebench/device.h:
host/include/phasebench/event.h:
host/include/phasebench/rig.h:
host/include/phasebench/record.h:
host/include/phasebench/run.h:
host/include/phasebench/calibration.h:
host/include/phasebench/result.h:
host/include/phasebench/cube.h:
host/include/phasebench/measurement.h:
host/include/phasebench/tdc.h:
host/include/phasebench/transmission.h:
